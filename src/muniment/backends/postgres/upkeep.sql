-- Statements with which tables are written anew. They look at the catalogue of the server and at no row of a tenant.

-- name: places
SELECT c.relname, pg_total_relation_size(c.oid),
    pg_has_role(current_user, c.relowner, 'USAGE') OR CASE
        WHEN current_setting('server_version_num')::integer >= 170000 THEN has_table_privilege(c.oid, 'MAINTAIN')
        ELSE false
    END
FROM pg_class AS c
WHERE c.relnamespace = to_regnamespace($1) AND c.relname = ANY($2::text[]) AND c.relkind = 'r'
ORDER BY 2, 1;

-- name: moment
SELECT pg_snapshot_xmax(pg_current_snapshot())::text;

-- Writing a table anew leaves out what nobody can see any more, and the table then says how far back it looked.
-- name: looked_back
SELECT age(c.relfrozenxid) <= age($3::text::xid8::xid) FROM pg_class AS c
WHERE c.relnamespace = to_regnamespace($1) AND c.relname = $2;

-- name: distributed
SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus');

-- name: role
SELECT current_setting('role');

-- name: pending
SELECT erasure FROM tenant_head WHERE tenant_id = $1 AND erasure <> scrubbed;

-- name: tenant_numbers
SELECT tenant_id FROM tenants ORDER BY tenant_id;
