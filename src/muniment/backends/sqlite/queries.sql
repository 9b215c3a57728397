-- name: head
SELECT seq, body, hash FROM entries ORDER BY seq DESC LIMIT 1;

-- name: entry
SELECT seq, body, hash FROM entries WHERE seq = ?;

-- name: entries
SELECT seq, body, hash FROM entries WHERE seq BETWEEN ? AND ? ORDER BY seq;

-- name: append_entry
INSERT INTO entries (seq, body, hash) VALUES (?, ?, ?);

-- name: document
SELECT doc, salt, CAST(body AS BLOB) FROM documents WHERE doc = ?;

-- name: all_documents
SELECT doc, salt, CAST(body AS BLOB) FROM documents ORDER BY doc;

-- name: keep_document
INSERT INTO documents (doc, salt, body) VALUES (?, ?, ?);

-- name: drop_document
DELETE FROM documents WHERE doc = ?;

-- name: card
SELECT * FROM cards WHERE rid = ?;

-- name: current_card
SELECT * FROM cards WHERE id = ? AND status IN ('active', 'contested');

-- name: revisions
SELECT * FROM cards WHERE id = ? ORDER BY revision;

-- name: twin
SELECT * FROM cards WHERE fingerprint = ? AND status IN ('active', 'contested');

-- name: occupants
SELECT * FROM cards WHERE slot = ? AND status IN ('active', 'contested');

-- name: standings
SELECT rid, since, status, successor FROM standings WHERE rid = ? ORDER BY since;

-- name: all_standings
SELECT rid, since, status, successor FROM standings ORDER BY rid, since;

-- name: standing_at
SELECT since, status, successor FROM standings WHERE rid = ? AND since <= ? ORDER BY since DESC LIMIT 1;

-- name: superseded_by
SELECT * FROM cards WHERE successor = ? ORDER BY rid;

-- name: all_cards
SELECT * FROM cards ORDER BY rid;

-- name: count_cards
SELECT status, count(*) FROM cards GROUP BY status ORDER BY status;

-- name: put_card
INSERT INTO cards VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: put_text
INSERT INTO lexicon (rowid, text) VALUES (?, ?);

-- name: put_standing
INSERT INTO standings (rid, since, status, successor) VALUES (?, ?, ?, ?);

-- name: move_card
UPDATE cards SET status = ?, since = ?, successor = ? WHERE rid = ?;

-- name: proposal
SELECT * FROM proposals WHERE id = ?;

-- name: held_proposals
SELECT * FROM proposals WHERE outcome = 'held' AND id > ? ORDER BY id LIMIT ?;

-- name: all_proposals
SELECT * FROM proposals ORDER BY seq;

-- name: file_proposal
INSERT INTO proposals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
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

-- name: conflict
SELECT * FROM conflicts WHERE id = ?;

-- name: all_conflicts
SELECT * FROM conflicts ORDER BY opened, id;

-- name: conflicts_of
SELECT * FROM conflicts WHERE a = ? UNION SELECT * FROM conflicts WHERE b = ? ORDER BY opened, id;

-- name: put_conflict
INSERT INTO conflicts VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET status = excluded.status, changed = excluded.changed;

-- name: last_checkpoint
SELECT signed FROM checkpoints ORDER BY seq DESC LIMIT 1;

-- name: all_checkpoints
SELECT seq, signed FROM checkpoints ORDER BY seq;

-- name: put_checkpoint
INSERT INTO checkpoints (seq, signed) VALUES (?, ?) ON CONFLICT (seq) DO UPDATE SET signed = excluded.signed;

-- name: receipt_head
SELECT seq, hash FROM receipts ORDER BY seq DESC LIMIT 1;

-- name: receipt
SELECT seq, id, body, hash, salt, account FROM receipts WHERE id = ?;

-- name: all_receipts
SELECT seq, id, body, hash, salt, account FROM receipts ORDER BY seq;

-- name: append_receipt
INSERT INTO receipts (seq, id, body, hash, salt, account) VALUES (?, ?, ?, ?, ?, ?);

-- name: index_averages
SELECT block FROM lexicon_data WHERE id = 1;

-- name: term_documents
SELECT doc FROM lexicon_terms WHERE term = ?;
