-- name: take_turn
UPDATE tenant_head SET turn = turn + 1 WHERE tenant_id = $1
RETURNING turn, seq, hash, notes, erasure, receipts, receipts_hash, texts, terms, last_text,
    receipts_bytes, receipts_counted, words;

-- name: move_head
UPDATE tenant_head SET
    seq = $2, hash = $3, notes = $4, erasure = $5, receipts = $6, receipts_hash = $7, texts = $8, terms = $9,
    last_text = $10, receipts_bytes = $11, receipts_counted = $12, words = $13
WHERE tenant_id = $1;

-- name: head_row
SELECT turn, seq, hash, notes, erasure, receipts, receipts_hash, texts, terms, last_text,
    receipts_bytes, receipts_counted, words
FROM tenant_head WHERE tenant_id = $1;

-- name: entry_hash
SELECT hash FROM entries WHERE tenant_id = $1 AND seq = $2;

-- name: receipt_hash
SELECT hash FROM receipts WHERE tenant_id = $1 AND seq = $2;

-- name: drop_document
DELETE FROM documents WHERE tenant_id = $1 AND doc = $2;

-- name: amend_document
UPDATE documents SET salt = $3, body = $4 WHERE tenant_id = $1 AND doc = $2;

-- name: reword_note
UPDATE notes SET body = $3 WHERE tenant_id = $1 AND doc = $2;

-- name: blank_receipt
UPDATE receipts SET salt = $3, account = $4 WHERE tenant_id = $1 AND seq = $2;

-- name: receipt_bytes
SELECT octet_length(salt) + octet_length(account) FROM receipts WHERE tenant_id = $1 AND seq = $2;

-- name: receipts_bytes
SELECT h.receipts_bytes + coalesce((
    SELECT sum(octet_length(r.id) + octet_length(r.body) + octet_length(r.hash) + octet_length(r.salt)
        + octet_length(r.account))
    FROM receipts r WHERE r.tenant_id = $1 AND r.seq > h.receipts_counted
), 0)::bigint FROM tenant_head h WHERE h.tenant_id = $1;

-- name: put_checkpoint
INSERT INTO checkpoints (tenant_id, seq, signed) VALUES ($1, $2, $3)
ON CONFLICT (tenant_id, seq) DO UPDATE SET signed = excluded.signed;

-- name: move_card
UPDATE cards SET
    since = $3, status = $4, successor = $5, own = $6, effective = $7, label = $8, support = $9, helpful = $10,
    misleading = $11, tier = $12, accesses = $13, last_access = $14
WHERE tenant_id = $1 AND rid = $2;

-- name: file_proposal
INSERT INTO proposals (
    tenant_id, seq, id, at, actor, outcome, disposition, digest, report, held, record, revision
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (tenant_id, id) DO UPDATE SET
    seq = excluded.seq,
    at = excluded.at,
    actor = excluded.actor,
    outcome = excluded.outcome,
    disposition = excluded.disposition,
    digest = excluded.digest,
    report = excluded.report,
    held = excluded.held,
    record = excluded.record,
    revision = excluded.revision;

-- name: put_conflict
INSERT INTO conflicts (
    tenant_id, id, type, status, a, b, why, contests, opened, changed, strategy, winner, ballots
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (tenant_id, id) DO UPDATE SET
    status = excluded.status,
    contests = excluded.contests,
    changed = excluded.changed,
    strategy = excluded.strategy,
    winner = excluded.winner,
    ballots = excluded.ballots;

-- name: tell
INSERT INTO told AS known (tenant_id, rid, actor, count, last)
SELECT h.tenant_id, heard.rid, heard.actor, heard.count, heard.last
FROM tenant_head AS h
CROSS JOIN unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[]) AS heard (rid, actor, count, last)
WHERE h.tenant_id = $1
ON CONFLICT (tenant_id, rid, actor) DO UPDATE
SET count = known.count + excluded.count, last = greatest(known.last, excluded.last);

-- name: erase_cards
DELETE FROM cards WHERE tenant_id = $1 AND rid = ANY($2::bigint[]);

-- name: erase_standings
DELETE FROM standings WHERE tenant_id = $1 AND rid = ANY($2::bigint[]);

-- name: erase_edges
DELETE FROM edges WHERE tenant_id = $1 AND rid = ANY($2::bigint[]);

-- name: erase_mentions
DELETE FROM mentions WHERE tenant_id = $1 AND rid = ANY($2::bigint[]);

-- name: erase_aliases
DELETE FROM aliases WHERE tenant_id = $1 AND doc = ANY($2::bigint[]);

-- name: clear_cards
DELETE FROM cards WHERE tenant_id = $1;

-- name: clear_standings
DELETE FROM standings WHERE tenant_id = $1;

-- name: clear_proposals
DELETE FROM proposals WHERE tenant_id = $1;

-- name: clear_conflicts
DELETE FROM conflicts WHERE tenant_id = $1;

-- name: clear_edges
DELETE FROM edges WHERE tenant_id = $1;

-- name: clear_mentions
DELETE FROM mentions WHERE tenant_id = $1;

-- name: clear_aliases
DELETE FROM aliases WHERE tenant_id = $1;

-- name: clear_notes
DELETE FROM notes WHERE tenant_id = $1;

-- name: clear_told
DELETE FROM told WHERE tenant_id = $1;

-- name: clear_tombstones
DELETE FROM tombstones WHERE tenant_id = $1;

-- name: mark_scrubbed
UPDATE tenant_head SET scrubbed = $2 WHERE tenant_id = $1;

-- name: unscrubbed
SELECT erasure <> scrubbed FROM tenant_head WHERE tenant_id = $1;

-- name: size
SELECT coalesce((SELECT sum(pg_column_size(documents.*)) FROM documents WHERE tenant_id = $1), 0)
    + coalesce((SELECT sum(pg_column_size(entries.*)) FROM entries WHERE tenant_id = $1), 0)
    + coalesce((SELECT sum(pg_column_size(receipts.*)) FROM receipts WHERE tenant_id = $1), 0);

-- name: last_entry
SELECT seq, body, hash, (SELECT coalesce(max(seq), 0) FROM checkpoints WHERE tenant_id = $1)
FROM entries WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1;
