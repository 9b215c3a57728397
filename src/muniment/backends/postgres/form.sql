-- What a schema consists of, as the catalogue of the server tells it: what it is, its name, and how it is made. Objects of
-- extensions are none of ours, and a cluster's own triggers on its tables are not either.

-- name: tables
SELECT 'table', c.relname::text, concat_ws(' ', c.relkind::text, c.relpersistence::text,
    CASE WHEN c.relrowsecurity THEN 'walled' END, CASE WHEN c.relforcerowsecurity THEN 'forced' END,
    array_to_string(c.reloptions, ','), pg_get_partkeydef(c.oid),
    CASE WHEN c.relispartition THEN pg_get_expr(c.relpartbound, c.oid) END)
FROM pg_class AS c
WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e');

-- name: columns
SELECT 'column', c.relname || '.' || a.attname, concat_ws(' ',
    regexp_replace(format_type(a.atttypid, a.atttypmod), '^.*\.', ''), CASE WHEN a.attnotnull THEN 'needed' END, CASE WHEN a.attcollation <> t.typcollation THEN l.collname END,
    CASE WHEN a.attgenerated <> '' THEN 'generated' END, pg_get_expr(s.adbin, s.adrelid),
    CASE WHEN a.attstattarget >= 0 THEN 'sampled ' || a.attstattarget END)
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type AS t ON t.oid = a.atttypid
LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
LEFT JOIN pg_attrdef AS s ON s.adrelid = c.oid AND s.adnum = a.attnum
WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p');

-- name: indexes
SELECT 'index', x.relname::text,
    concat_ws(' ', replace(pg_get_indexdef(x.oid), quote_ident($1) || '.', ''), CASE WHEN NOT i.indisvalid THEN 'broken' END)
FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.oid JOIN pg_class AS x ON x.oid = i.indexrelid
WHERE c.relnamespace = to_regnamespace($1);

-- name: constraints
SELECT 'constraint', c.relname || '.' || k.conname, replace(pg_get_constraintdef(k.oid), quote_ident($1) || '.', '')
FROM pg_class AS c JOIN pg_constraint AS k ON k.conrelid = c.oid
WHERE c.relnamespace = to_regnamespace($1) AND k.contype IN ('c', 'f', 'p', 'u', 'x');

-- name: policies
SELECT 'policy', c.relname || '.' || p.polname, concat_ws(' ', p.polcmd::text, p.polpermissive::text,
    array_to_string(ARRAY(
        SELECT coalesce(r.rolname, 'public') FROM unnest(p.polroles) AS o (id) LEFT JOIN pg_roles AS r ON r.oid = o.id
        ORDER BY 1
    ), ','),
    pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
FROM pg_class AS c JOIN pg_policy AS p ON p.polrelid = c.oid
WHERE c.relnamespace = to_regnamespace($1);

-- name: triggers
SELECT 'trigger', c.relname || '.' || t.tgname, pg_get_triggerdef(t.oid)
FROM pg_class AS c JOIN pg_trigger AS t ON t.tgrelid = c.oid
WHERE c.relnamespace = to_regnamespace($1) AND NOT t.tgisinternal AND t.tgname !~ '^(citus_)?truncate_trigger'
UNION ALL
SELECT 'rule', c.relname || '.' || w.rulename, pg_get_ruledef(w.oid)
FROM pg_class AS c JOIN pg_rewrite AS w ON w.ev_class = c.oid
WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p');

-- name: functions
SELECT 'function', p.oid::regprocedure::text, md5(p.prosrc) FROM pg_proc AS p
WHERE p.pronamespace = to_regnamespace($1)
    AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e');

-- What the two roles and everybody may do. What others were given by their administrator is not ours to judge.
-- name: rights
SELECT 'right', given.name || ' ' || given.grantee, string_agg(given.kind, ', ' ORDER BY given.kind)
FROM (
    SELECT c.relname::text AS name, coalesce(r.rolname, 'public')::text AS grantee, x.privilege_type AS kind
    FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS x LEFT JOIN pg_roles AS r ON r.oid = x.grantee
    WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    UNION ALL
    SELECT c.relname || '.' || a.attname, coalesce(r.rolname, 'public'), x.privilege_type
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
    CROSS JOIN LATERAL aclexplode(a.attacl) AS x LEFT JOIN pg_roles AS r ON r.oid = x.grantee
    WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p')
    UNION ALL
    SELECT 'schema', coalesce(r.rolname, 'public'), x.privilege_type
    FROM pg_namespace AS n CROSS JOIN LATERAL aclexplode(n.nspacl) AS x LEFT JOIN pg_roles AS r ON r.oid = x.grantee
    WHERE n.oid = to_regnamespace($1)
) AS given
WHERE given.grantee IN ('public', $2, $3) AND given.kind <> 'MAINTAIN'
GROUP BY given.name, given.grantee;

-- name: applied
SELECT revision, phase, digest FROM schema_migrations;

-- name: spread
SELECT 1 FROM pg_dist_partition AS d JOIN pg_class AS c ON c.oid = d.logicalrelid
WHERE c.relnamespace = to_regnamespace($1) LIMIT 1;

-- name: here
SELECT current_schema(), EXISTS (SELECT FROM pg_extension WHERE extname = 'citus');
