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

-- name: spread
SELECT 1 FROM pg_dist_partition AS d JOIN pg_class AS c ON c.oid = d.logicalrelid
WHERE c.relnamespace = to_regnamespace($1) LIMIT 1;

-- The same on a cluster, where every node counts by itself: a moment of each, and whether every shard of a table looked
-- back to that of the node it is on.
-- name: moments
SELECT json_object_agg(n.groupid, told.result)::text
FROM run_command_on_all_nodes('SELECT pg_snapshot_xmax(pg_current_snapshot())') AS told
JOIN pg_dist_node AS n ON n.nodeid = told.nodeid;

-- name: shards_looked_back
SELECT coalesce(bool_and(told.success AND told.result = 't'), false)
FROM run_command_on_placements($1::text::regclass, format(
    'SELECT age(c.relfrozenxid) <= age((%L::json ->> (SELECT groupid::text FROM pg_dist_local_group))::xid8::xid) '
    'FROM pg_class AS c WHERE c.oid = ''%%s''::regclass', $2::text
)) AS told;

-- name: role
SELECT current_setting('role');

-- name: pending
SELECT erasure FROM tenant_head WHERE tenant_id = $1 AND erasure <> scrubbed;

-- name: tenant_numbers
SELECT tenant_id FROM tenants ORDER BY tenant_id;
