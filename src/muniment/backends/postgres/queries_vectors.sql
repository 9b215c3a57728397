-- name: reach
SELECT r.model, r.dimensions, r.upto, r.indexed FROM reaches AS r
WHERE r.tenant_id = $1 AND r.model IS NOT NULL AND (
    r.upto = 0
    OR EXISTS (SELECT 1 FROM entries AS e WHERE e.tenant_id = $1 AND e.seq = r.upto AND e.hash = r.hash)
);

-- A lease that has ended lies further back from the new one than a lease is long. That needs no look at the clock, which
-- a cluster forbids in this place.
-- name: claim_vectors
INSERT INTO reaches (tenant_id, maker, until)
VALUES ($1, $2, now() + $3::double precision * interval '1 second')
ON CONFLICT (tenant_id) DO UPDATE SET maker = excluded.maker, until = excluded.until
WHERE reaches.maker IS NULL OR reaches.maker = excluded.maker
    OR excluded.until - reaches.until > $3::double precision * interval '1 second'
RETURNING 1;

-- name: release_vectors
UPDATE reaches SET maker = NULL, until = NULL WHERE tenant_id = $1 AND maker = $2;

-- name: begin_vectors
UPDATE reaches SET
    model = $3, dimensions = $4, upto = 0, hash = '', until = now() + $5::double precision * interval '1 second'
WHERE tenant_id = $1 AND maker = $2
RETURNING 1;

-- name: advance_reach
UPDATE reaches SET
    upto = $3,
    hash = (SELECT e.hash FROM entries AS e WHERE e.tenant_id = $1 AND e.seq = $3),
    until = now() + $4::double precision * interval '1 second'
WHERE tenant_id = $1 AND maker = $2 AND model IS NOT NULL
RETURNING dimensions;

-- name: hold_reach
INSERT INTO reaches (tenant_id) VALUES ($1)
ON CONFLICT (tenant_id) DO UPDATE SET upto = reaches.upto;

-- name: carded
SELECT rid FROM cards WHERE tenant_id = $1 AND rid = ANY($2::bigint[]);

-- name: add_vector
INSERT INTO vectors (tenant_id, rid, start, stop, vector) VALUES ($1, $2, $3, $4, $5::halfvec);

-- name: forget_vectors
DELETE FROM vectors WHERE tenant_id = $1 AND rid = ANY($2::bigint[]);

-- name: clear_vectors
DELETE FROM vectors WHERE tenant_id = $1;

-- name: vectors_upto
SELECT v.rid, v.start, v.stop, v.vector
FROM vectors AS v JOIN cards AS c ON c.tenant_id = $1 AND c.rid = v.rid
WHERE v.tenant_id = $1 AND c.seq <= $2
ORDER BY v.rid, v.start;

-- name: passages_of
SELECT rid, start, stop, vector FROM vectors
WHERE tenant_id = $1 AND rid = ANY($2::bigint[]) AND vector_dims(vector) = $3
ORDER BY rid, start;

-- name: nearest_first
-- The nearest passages of all, and of those what may be seen: exact as far as the farthest of them. No index is over
-- this expression either. Numbers of 16 bits are compared, so the last word is not said here; the passages come along.
-- Cards and passages are looked up one by one (OFFSET 0): left to itself the server reads them all, many times over.
WITH near AS MATERIALIZED (
    SELECT v.rid, v.vector <#> $2::halfvec AS away FROM vectors AS v
    WHERE v.tenant_id = $1 ORDER BY v.vector <#> $2::halfvec, v.rid DESC LIMIT {depth}
), seen AS MATERIALIZED (
    SELECT n.rid, min(n.away) AS away
    FROM near AS n CROSS JOIN LATERAL (
        SELECT c.rid FROM cards AS c {standing}
        WHERE c.tenant_id = $1 AND c.rid = n.rid AND c.seq <= $3 AND c.seq <= $4 AND ({conditions}) OFFSET 0
    ) AS open
    GROUP BY n.rid ORDER BY min(n.away), n.rid DESC LIMIT {kept}
)
SELECT seen.rid, own.start, own.stop, own.vector, seen.away, (SELECT count(*) FROM near), (SELECT max(away) FROM near)
FROM seen CROSS JOIN LATERAL (
    SELECT v.start, v.stop, v.vector FROM vectors AS v WHERE v.tenant_id = $1 AND v.rid = seen.rid OFFSET 0
) AS own
ORDER BY seen.away, seen.rid DESC, own.start;

-- name: nearest_of_all
-- Every passage that may be seen is compared. No index is over this expression, so whatever plan is chosen is exact.
WITH mine AS MATERIALIZED (
    SELECT v.rid, v.vector::vector <#> $2::vector AS away
    FROM cards AS c {standing}JOIN vectors AS v ON v.tenant_id = $1 AND v.rid = c.rid
    WHERE c.tenant_id = $1 AND c.seq <= $3 AND c.seq <= $4 AND ({conditions})
)
SELECT rid FROM mine ORDER BY away, rid DESC LIMIT {depth};

-- name: nearest_by_index
-- The index of a large tenant gives the nearest passages; those that may be seen are what is left of them.
WITH near AS MATERIALIZED (
    SELECT v.rid, v.vector::halfvec({dimensions}) <#> $2::halfvec({dimensions}) AS away
    FROM {own} AS v
    WHERE v.tenant_id = $1 AND vector_dims(v.vector) = {dimensions}
    ORDER BY v.vector::halfvec({dimensions}) <#> $2::halfvec({dimensions}) LIMIT {depth}
), seen AS MATERIALIZED (
    SELECT n.rid, min(n.away) AS away
    FROM near AS n CROSS JOIN LATERAL (
        SELECT c.rid FROM cards AS c {standing}
        WHERE c.tenant_id = $1 AND c.rid = n.rid AND c.seq <= $3 AND c.seq <= $4 AND ({conditions}) OFFSET 0
    ) AS open
    GROUP BY n.rid ORDER BY min(n.away), n.rid DESC LIMIT {kept}
)
SELECT seen.rid, own.start, own.stop, own.vector
FROM seen CROSS JOIN LATERAL (
    SELECT v.start, v.stop, v.vector FROM {own} AS v
    WHERE v.tenant_id = $1 AND v.rid = seen.rid AND vector_dims(v.vector) = {dimensions} OFFSET 0
) AS own
ORDER BY seen.away, seen.rid DESC, own.start;
