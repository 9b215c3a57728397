-- name: words_holding
SELECT asked.term, final.nth
FROM unnest($2::text[]) AS asked (term)
CROSS JOIN LATERAL (
    SELECT p.nth FROM postings AS p WHERE p.tenant_id = $1 AND p.term = asked.term ORDER BY p.rid DESC LIMIT 1
) AS final;

-- name: words_holding_any
SELECT count(DISTINCT p.rid) FROM postings AS p WHERE p.tenant_id = $1 AND p.term = ANY($2::text[]);

-- name: words_latest
SELECT asked.term, final.rid
FROM unnest($2::text[]) AS asked (term)
CROSS JOIN LATERAL (
    SELECT p.rid FROM postings AS p WHERE p.tenant_id = $1 AND p.term = asked.term ORDER BY p.rid DESC LIMIT $3
) AS final;

-- name: words_born
SELECT c.rid FROM cards AS c WHERE c.tenant_id = $1 ORDER BY c.rid;

-- name: words_texts
SELECT d.doc, d.body FROM documents AS d WHERE d.tenant_id = $1 AND d.doc = ANY($2::bigint[]);

-- name: words_held
SELECT p.rid, p.term, p.spots FROM postings AS p
WHERE p.tenant_id = $1 AND p.term = ANY($2::text[]) AND p.rid = ANY($3::bigint[]);

-- The number of a term's last posting is how many there are: so that is known from one look. The rows are selected beside
-- the tenant's own row, so that a cluster runs the whole statement on the worker that has it.
-- name: put_postings
INSERT INTO postings (tenant_id, rid, nth, size, term, spots)
SELECT
    h.tenant_id, fresh.rid,
    coalesce(final.nth, 0) + row_number() OVER (PARTITION BY h.tenant_id, fresh.term ORDER BY fresh.rid),
    fresh.size, fresh.term, fresh.spots
FROM tenant_head AS h
CROSS JOIN unnest($2::bigint[], $3::bigint[], $4::text[], $5::bytea[]) AS fresh (rid, size, term, spots)
LEFT JOIN LATERAL (
    SELECT p.nth FROM postings AS p WHERE p.tenant_id = $1 AND p.term = fresh.term ORDER BY p.rid DESC LIMIT 1
) AS final ON TRUE
WHERE h.tenant_id = $1;

-- name: number_last_postings
UPDATE postings AS final SET nth = counted.holding
FROM unnest($2::text[], $3::bigint[]) AS counted (term, holding)
WHERE final.tenant_id = $1 AND final.term = counted.term
    AND final.rid = (SELECT max(p.rid) FROM postings AS p WHERE p.tenant_id = $1 AND p.term = counted.term);

-- name: drop_postings
DELETE FROM postings AS gone USING unnest($2::text[], $3::bigint[]) AS named (term, rid)
WHERE gone.tenant_id = $1 AND gone.term = named.term AND gone.rid = named.rid
RETURNING gone.term, gone.rid, gone.size, gone.spots;

-- name: postings_of
SELECT p.term, p.rid FROM postings AS p WHERE p.tenant_id = $1 AND p.rid = ANY($2::bigint[]);

-- name: clear_postings
DELETE FROM postings WHERE tenant_id = $1;
