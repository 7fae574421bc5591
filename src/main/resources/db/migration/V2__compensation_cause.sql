-- Why it is owed, where someone said so: a rollback that could not be decided goes into the journal with it.
-- Versions before pass over it, and over debts of a kind they do not know.
ALTER TABLE stock_compensation ADD COLUMN cause VARCHAR(255) CHARACTER SET utf8mb4 NULL;
