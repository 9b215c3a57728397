-- Revision 6. Which tokenizer the word index of a tenant was made by. `muniment migrate` then takes all texts apart anew.

ALTER TABLE tenant_head ADD COLUMN words bigint NOT NULL DEFAULT 1;
GRANT UPDATE (words) ON tenant_head TO {writer};
