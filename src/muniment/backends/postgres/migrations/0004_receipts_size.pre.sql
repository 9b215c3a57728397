-- Revision 4. How many bytes the receipts up to `receipts_counted` take, so that monitoring does not have to add them up.
-- Receipts that the release before has written are not counted yet: they are added when the next one is written.

ALTER TABLE tenant_head ADD COLUMN receipts_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE tenant_head ADD COLUMN receipts_counted bigint NOT NULL DEFAULT 0;
GRANT UPDATE (receipts_bytes, receipts_counted) ON tenant_head TO {writer};
