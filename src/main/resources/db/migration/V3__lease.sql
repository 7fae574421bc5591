-- Which instance does a background job, by the ledger's clock.

CREATE TABLE lease (
    job     VARCHAR(32) CHARACTER SET ascii NOT NULL,
    holder  VARCHAR(64) CHARACTER SET ascii NOT NULL,
    ends_at DATETIME(3) NOT NULL,
    PRIMARY KEY (job)
);
