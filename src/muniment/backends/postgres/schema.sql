-- Statements about the schema itself and about the server. None of them looks at what a tenant keeps.

-- name: server
SELECT current_setting('server_version_num')::bigint,
    current_setting('server_encoding'),
    current_setting('synchronous_commit'),
    current_setting('default_transaction_read_only') = 'on',
    pg_is_in_recovery(),
    EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'),
    current_setting('plan_cache_mode');

-- name: vector
SELECT e.extversion, n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'vector';

-- name: vector_offered
SELECT default_version FROM pg_available_extensions WHERE name = 'vector';

-- name: has_schema
SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1);

-- name: relations
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY c.relname;

-- name: applied
SELECT revision, phase, digest FROM {schema}.schema_migrations ORDER BY revision, phase DESC;

-- name: begun
SELECT EXISTS (SELECT 1 FROM {schema}.deployment);

-- name: was_applied
SELECT digest FROM {schema}.schema_migrations WHERE revision = $1 AND phase = $2;

-- name: lock_record
LOCK TABLE {schema}.schema_migrations IN SHARE ROW EXCLUSIVE MODE;

-- name: write_down
INSERT INTO {schema}.schema_migrations (revision, phase, name, digest) VALUES ($1, $2, $3, $4);

-- name: make_schema
CREATE SCHEMA IF NOT EXISTS {schema};

-- name: make_record
CREATE TABLE IF NOT EXISTS {schema}.schema_migrations (
    revision   integer NOT NULL,
    phase      text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    digest     text COLLATE "C" NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (revision, phase)
);

-- name: make_vector
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA {home};

-- name: drop_schema
DROP SCHEMA IF EXISTS {schema} CASCADE;

-- name: roles
SELECT r.rolname, r.rolcanlogin,
    current_user = r.rolname OR pg_has_role(current_user, r.oid, $3)
FROM pg_roles r WHERE r.rolname IN ($1, $2);

-- name: myself
SELECT rolname, rolsuper, rolcreaterole, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user;

-- name: tables
SELECT c.relname, EXISTS (
        SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
    )
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY c.relname;

-- name: distributed
SELECT c.relname FROM pg_dist_partition d JOIN pg_class c ON c.oid = d.logicalrelid
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1;

-- name: tenant_names
SELECT tenant_id, name FROM {schema}.tenants ORDER BY name;

-- name: vectors_of
SELECT coalesce((SELECT dimensions FROM {schema}.reaches WHERE tenant_id = $1), 0),
    coalesce((SELECT indexed FROM {schema}.reaches WHERE tenant_id = $1), 0),
    (SELECT count(*) FROM (SELECT 1 FROM {schema}.vectors WHERE tenant_id = $1 LIMIT $2) AS few);

-- name: own_index
SELECT i.indisvalid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_index i ON i.indexrelid = c.oid WHERE n.nspname = $1 AND c.relname = $2;

-- name: changes_columns
SELECT (has_any_column_privilege($1, c.oid, 'UPDATE') OR $4) AND NOT has_table_privilege($1, c.oid, 'UPDATE')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $2 AND c.relname = $3;

-- name: forced
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND c.relforcerowsecurity ORDER BY c.relname;

-- name: owner
SELECT r.rolname, r.rolname = current_user, me.rolsuper OR me.rolbypassrls
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles r ON r.oid = c.relowner
CROSS JOIN pg_roles me WHERE n.nspname = $1 AND c.relname = $2 AND me.rolname = current_user;

-- name: policies
SELECT p.polname, pg_get_expr(p.polqual, p.polrelid) FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2;

-- name: unkept
SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT has_table_privilege($2, c.oid, 'MAINTAIN');

-- name: being_indexed
SELECT p.pid FROM pg_stat_progress_create_index p JOIN pg_class c ON c.oid = p.relid
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2;
