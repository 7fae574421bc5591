-- Which buckets a SKU sold from before, and until when: a retry asks the home that its key had then. Those that sell now are in sku_bucket.

CREATE TABLE sku_layout (
    id       BIGINT       NOT NULL AUTO_INCREMENT,
    sku_id   BIGINT       NOT NULL,
    active   VARCHAR(512) CHARACTER SET ascii NOT NULL COMMENT 'bucket numbers, ascending, comma-separated',
    ended_at DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY idx_sku (sku_id, ended_at)
);

-- Transfers that were left open, of any SKU.
CREATE INDEX idx_state ON stock_transfer (state, created_at);
