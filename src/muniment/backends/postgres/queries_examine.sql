-- What the tables hold, to be compared with each other and with what the tenant's row counts.
-- name: examine_receipts
SELECT seq, hash FROM receipts WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1;

-- name: examine_notes
SELECT coalesce(max(seq), 0) FROM notes WHERE tenant_id = $1;

-- name: examine_born
SELECT coalesce((SELECT max(rid) FROM cards WHERE tenant_id = $1), 0),
    coalesce((SELECT max(rid) FROM tombstones WHERE tenant_id = $1), 0);

-- name: examine_said
SELECT c.rid, d.body FROM cards AS c LEFT JOIN documents AS d ON d.tenant_id = $1 AND d.doc = c.rid
WHERE c.tenant_id = $1 ORDER BY c.rid;

-- name: examine_postings
SELECT rid, term, size, spots FROM postings WHERE tenant_id = $1 ORDER BY rid;

-- The number of a term's last posting is the one that is looked at.
-- name: examine_numbers
SELECT count(*) FROM (
    SELECT nth, row_number() OVER term_by_term AS place, lead(rid) OVER term_by_term IS NULL AS final
    FROM postings WHERE tenant_id = $1
    WINDOW term_by_term AS (PARTITION BY term ORDER BY rid)
) AS numbered
WHERE final AND nth <> place;

-- name: examine_vectors
SELECT count(*) FILTER (WHERE c.rid IS NULL), count(*) FILTER (WHERE vector_dims(v.vector) <> $2)
FROM vectors AS v LEFT JOIN cards AS c ON c.tenant_id = $1 AND c.rid = v.rid
WHERE v.tenant_id = $1;

-- name: examine_reach
SELECT dimensions, upto FROM reaches WHERE tenant_id = $1;
