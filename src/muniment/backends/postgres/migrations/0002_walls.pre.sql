-- Revision 2. The second lock: whatever a statement of ours forgets, a row is seen and written by its tenant only, which a
-- transaction names in the setting muniment.tenant. Without it nothing is there. The owner is behind the lock too.
-- And who writes may change only what must be changed: the ledger, its checkpoints and its certificates are added to.
-- {schema}, {writer} and {reader} stand for names that differ between deployments on one server.

REVOKE ALL ON SCHEMA {schema} FROM PUBLIC;
GRANT USAGE ON SCHEMA {schema} TO {writer}, {reader};

ALTER TABLE tenant_head ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_head FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON tenant_head
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE entries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON entries
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE documents FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON documents
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE receipts ENABLE ROW LEVEL SECURITY;
ALTER TABLE receipts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON receipts
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE checkpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE checkpoints FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON checkpoints
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE certificates ENABLE ROW LEVEL SECURITY;
ALTER TABLE certificates FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON certificates
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE tombstones ENABLE ROW LEVEL SECURITY;
ALTER TABLE tombstones FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON tombstones
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE cards ENABLE ROW LEVEL SECURITY;
ALTER TABLE cards FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON cards
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE standings ENABLE ROW LEVEL SECURITY;
ALTER TABLE standings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON standings
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE edges ENABLE ROW LEVEL SECURITY;
ALTER TABLE edges FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON edges
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE told ENABLE ROW LEVEL SECURITY;
ALTER TABLE told FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON told
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE proposals ENABLE ROW LEVEL SECURITY;
ALTER TABLE proposals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON proposals
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE conflicts ENABLE ROW LEVEL SECURITY;
ALTER TABLE conflicts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON conflicts
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE mentions ENABLE ROW LEVEL SECURITY;
ALTER TABLE mentions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON mentions
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE aliases ENABLE ROW LEVEL SECURITY;
ALTER TABLE aliases FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON aliases
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
ALTER TABLE notes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON notes
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE postings ENABLE ROW LEVEL SECURITY;
ALTER TABLE postings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON postings
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE reaches ENABLE ROW LEVEL SECURITY;
ALTER TABLE reaches FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON reaches
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON vectors
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

ALTER TABLE vectors_shared ENABLE ROW LEVEL SECURITY;
ALTER TABLE vectors_shared FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_wall ON vectors_shared
    USING (tenant_id = nullif(current_setting('muniment.tenant', true), '')::bigint);

-- Every process of a fleet signs with the key that is kept here; who only reads gets the public half and the policy.
ALTER TABLE deployment ENABLE ROW LEVEL SECURITY;
CREATE POLICY deployment_writer ON deployment TO {writer} USING (true);
CREATE POLICY deployment_reader ON deployment FOR SELECT TO {reader}
    USING (name IN ('policy.yaml', 'policy.toml') OR right(name, 4) = '.pub');
GRANT SELECT, INSERT, UPDATE (body), DELETE ON deployment TO {writer};
GRANT SELECT ON deployment TO {reader};

-- Which tenants there are is asked before one is chosen.
GRANT SELECT, INSERT ON tenants TO {writer};
GRANT SELECT ON tenants TO {reader};
GRANT SELECT ON schema_migrations TO {writer}, {reader};

GRANT SELECT, INSERT, UPDATE (
    turn, seq, hash, notes, erasure, scrubbed, receipts, receipts_hash, texts, terms, last_text
) ON tenant_head TO {writer};
GRANT SELECT ON tenant_head TO {reader};

GRANT SELECT, INSERT ON entries TO {writer};
GRANT SELECT ON entries TO {reader};

GRANT SELECT, INSERT, UPDATE (salt, body), DELETE ON documents TO {writer};
GRANT SELECT ON documents TO {reader};

GRANT SELECT, INSERT, UPDATE (salt, account) ON receipts TO {writer};
GRANT SELECT ON receipts TO {reader};

GRANT SELECT, INSERT, UPDATE (signed) ON checkpoints TO {writer};
GRANT SELECT ON checkpoints TO {reader};

GRANT SELECT, INSERT ON certificates TO {writer};
GRANT SELECT ON certificates TO {reader};

GRANT SELECT, INSERT, DELETE ON tombstones TO {writer};
GRANT SELECT ON tombstones TO {reader};

GRANT SELECT, INSERT, UPDATE (
    since, status, successor, own, effective, label, support, helpful, misleading, tier, accesses, last_access
), DELETE ON cards TO {writer};
GRANT SELECT ON cards TO {reader};

GRANT SELECT, INSERT, DELETE ON standings TO {writer};
GRANT SELECT ON standings TO {reader};

GRANT SELECT, INSERT, DELETE ON edges TO {writer};
GRANT SELECT ON edges TO {reader};

GRANT SELECT, INSERT, UPDATE (count, last), DELETE ON told TO {writer};
GRANT SELECT ON told TO {reader};

GRANT SELECT, INSERT, UPDATE (
    seq, at, actor, outcome, disposition, digest, report, held, record, revision
), DELETE ON proposals TO {writer};
GRANT SELECT ON proposals TO {reader};

GRANT SELECT, INSERT, UPDATE (status, changed, strategy, winner, ballots), DELETE ON conflicts TO {writer};
GRANT SELECT ON conflicts TO {reader};

GRANT SELECT, INSERT, DELETE ON mentions TO {writer};
GRANT SELECT ON mentions TO {reader};

GRANT SELECT, INSERT, DELETE ON aliases TO {writer};
GRANT SELECT ON aliases TO {reader};

GRANT SELECT, INSERT, UPDATE (body), DELETE ON notes TO {writer};
GRANT SELECT ON notes TO {reader};

GRANT SELECT, INSERT, UPDATE (nth, size, spots), DELETE ON postings TO {writer};
GRANT SELECT ON postings TO {reader};

GRANT SELECT, INSERT, UPDATE (model, dimensions, upto, indexed, hash, maker, until) ON reaches TO {writer};
GRANT SELECT ON reaches TO {reader};

GRANT SELECT, INSERT, DELETE ON vectors TO {writer};
GRANT SELECT ON vectors TO {reader};
