-- Revision 6. How many bytes the receipts take, kept up to date so that monitoring does not have to add them up; and an
-- index that lets a long list be read in pages.

CREATE TABLE sizes (
    name  TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO sizes (name, bytes) SELECT 'receipts',
    IFNULL(sum(octet_length(id) + length(body) + length(hash) + length(salt) + length(account)), 0) FROM receipts;

CREATE TRIGGER receipts_inserted AFTER INSERT ON receipts BEGIN
    UPDATE sizes SET bytes = bytes
        + octet_length(new.id) + length(new.body) + length(new.hash) + length(new.salt) + length(new.account)
    WHERE name = 'receipts';
END;

CREATE TRIGGER receipts_updated AFTER UPDATE ON receipts BEGIN
    UPDATE sizes SET bytes = bytes
        + octet_length(new.id) + length(new.body) + length(new.hash) + length(new.salt) + length(new.account)
        - octet_length(old.id) - length(old.body) - length(old.hash) - length(old.salt) - length(old.account)
    WHERE name = 'receipts';
END;

CREATE TRIGGER receipts_deleted AFTER DELETE ON receipts BEGIN
    UPDATE sizes SET bytes = bytes
        - octet_length(old.id) - length(old.body) - length(old.hash) - length(old.salt) - length(old.account)
    WHERE name = 'receipts';
END;

-- Conflicts are read a page at a time, in this order.
CREATE INDEX conflicts_by_opened ON conflicts (opened, id);
