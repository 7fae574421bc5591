-- The ledger. Runs on MySQL 8+ and MariaDB 10.6+. Later versions add; a running older instance must be able to read what is here.

CREATE TABLE sku (
    sku_id     BIGINT      NOT NULL,
    sku_code   VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    total      BIGINT      NOT NULL COMMENT 'as first given; what it holds now is the sum of its buckets',
    buckets    VARCHAR(512) CHARACTER SET ascii NOT NULL COMMENT 'bucket numbers as first given, ascending, comma-separated',
    strategy   VARCHAR(16) CHARACTER SET ascii NOT NULL,
    ordering   VARCHAR(8)  CHARACTER SET ascii NOT NULL,
    sale       VARCHAR(8)  CHARACTER SET ascii NOT NULL DEFAULT 'OPEN',
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (sku_id)
);

CREATE TABLE sku_bucket (
    sku_id    BIGINT     NOT NULL,
    bucket_no INT        NOT NULL,
    allotted  BIGINT     NOT NULL,
    available BIGINT     NOT NULL,
    state     VARCHAR(8) CHARACTER SET ascii NOT NULL DEFAULT 'ACTIVE',
    epoch     BIGINT     NOT NULL DEFAULT 0 COMMENT 'how often Redis was loaded from this row',
    PRIMARY KEY (sku_id, bucket_no),
    CONSTRAINT never_oversold CHECK (available >= 0),
    CONSTRAINT never_overfilled CHECK (available <= allotted)
);

-- 扣减流水. The key compares byte by byte, as in Redis. batch_id tells a transaction its own new rows from older ones.
CREATE TABLE stock_deduct_flow (
    deduct_key VARBINARY(64) NOT NULL,
    sku_id     BIGINT        NOT NULL,
    bucket_no  INT           NULL,
    qty        INT           NULL,
    status     VARCHAR(16)   CHARACTER SET ascii NOT NULL,
    credit     VARCHAR(8)    CHARACTER SET ascii NOT NULL DEFAULT 'NONE',
    trace_id   VARCHAR(128)  CHARACTER SET utf8mb4 NULL,
    batch_id   BIGINT        NOT NULL,
    found_bucket INT         NULL COMMENT 'of a CANCELLED flow: the bucket that held units for it; bucket_no stays NULL, as it is refused in every bucket',
    moved_to   INT           NULL,
    created_at DATETIME(3)   NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3)   NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (deduct_key, sku_id),
    KEY idx_sku_bucket (sku_id, bucket_no)
);

-- 补偿: what is owed and not given yet, one row a debt. A flow with credit OWED has exactly one row of kind CREDIT here,
-- written and removed in the same transactions, so that a debt is found without an index on the hot flow table.
CREATE TABLE stock_compensation (
    sku_id       BIGINT        NOT NULL,
    deduct_key   VARBINARY(64) NOT NULL,
    kind         VARCHAR(16)   CHARACTER SET ascii NOT NULL,
    bucket_no    INT           NOT NULL DEFAULT -1 COMMENT '-1: every bucket of the SKU',
    qty          INT           NULL,
    attempts     INT           NOT NULL DEFAULT 0,
    last_error   VARCHAR(255)  CHARACTER SET utf8mb4 NULL,
    next_attempt DATETIME(3)   NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    created_at   DATETIME(3)   NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (sku_id, deduct_key, kind, bucket_no),
    KEY idx_next_attempt (next_attempt)
);

-- Outcome events owed to the order system, one row a transaction; the row goes once Kafka has them all.
CREATE TABLE stock_outcome (
    id         BIGINT      NOT NULL AUTO_INCREMENT,
    events     MEDIUMTEXT  CHARACTER SET utf8mb4 NOT NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id)
);

-- 库存调拨: recorded moves of units. A NULL side is outside (an adjustment).
CREATE TABLE stock_transfer (
    id             VARCHAR(96)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    sku_id         BIGINT        NOT NULL,
    from_bucket    INT           NULL,
    to_bucket      INT           NULL,
    units          BIGINT        NOT NULL,
    epoch          BIGINT        NOT NULL COMMENT 'of the bucket on the side that moves first in Redis',
    state          VARCHAR(8)    CHARACTER SET ascii NOT NULL,
    adjustment_key VARBINARY(64) NULL,
    created_at     DATETIME(3)   NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at     DATETIME(3)   NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id, sku_id),
    KEY idx_open (sku_id, state),
    KEY idx_adjustment (sku_id, adjustment_key)
);

-- 库存调整. State OPEN, then for a taking TAKEN or BACK once that is decided, at last DONE or REFUSED.
CREATE TABLE stock_adjustment (
    sku_id         BIGINT        NOT NULL,
    adjustment_key VARBINARY(64) NOT NULL,
    delta          BIGINT        NOT NULL,
    reason         VARCHAR(255)  CHARACTER SET utf8mb4 NULL,
    state          VARCHAR(8)    CHARACTER SET ascii NOT NULL,
    created_at     DATETIME(3)   NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (sku_id, adjustment_key)
);

-- One appended line per change: when, what, who, why, before, after.
CREATE TABLE stock_journal (
    id           BIGINT        NOT NULL AUTO_INCREMENT,
    at           DATETIME(3)   NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    sku_id       BIGINT        NOT NULL,
    bucket_no    INT           NULL,
    deduct_key   VARBINARY(64) NULL,
    changed      VARCHAR(32)   CHARACTER SET ascii NOT NULL,
    changed_by   VARCHAR(64)   CHARACTER SET utf8mb4 NOT NULL,
    why          VARCHAR(255)  CHARACTER SET utf8mb4 NULL,
    before_value VARCHAR(64)   CHARACTER SET utf8mb4 NULL,
    after_value  VARCHAR(64)   CHARACTER SET utf8mb4 NULL,
    PRIMARY KEY (id),
    KEY idx_key (sku_id, deduct_key)
);
