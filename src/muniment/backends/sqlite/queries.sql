-- name: head
SELECT seq, body, hash, (SELECT ifnull(max(seq), 0) FROM checkpoints) FROM entries ORDER BY seq DESC LIMIT 1;

-- name: entry
SELECT seq, body, hash FROM entries WHERE seq = ?;

-- name: some_entries
SELECT entries.seq, entries.body, entries.hash
FROM json_each(?) AS wanted CROSS JOIN entries ON entries.seq = wanted.value;

-- name: entries
SELECT seq, body, hash FROM entries WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?;

-- name: append_entry
INSERT INTO entries (seq, body, hash) VALUES (?, ?, ?);

-- name: has_entry
SELECT EXISTS (SELECT 1 FROM entries WHERE seq = ? AND hash = ?);

-- name: has_receipt
SELECT EXISTS (SELECT 1 FROM receipts WHERE seq = ? AND hash = ?);

-- name: document
SELECT doc, salt, CAST(body AS BLOB) FROM documents WHERE doc = ?;

-- name: many_documents
SELECT documents.doc, documents.salt, CAST(documents.body AS BLOB)
FROM json_each(?) AS wanted CROSS JOIN documents ON documents.doc = wanted.value;

-- name: all_documents
SELECT doc, salt, CAST(body AS BLOB) FROM documents WHERE doc > ? ORDER BY doc LIMIT ?;

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

-- name: past_twins
SELECT * FROM cards WHERE fingerprint = ? AND status IN ('superseded', 'deprecated', 'retracted');

-- name: occupants
SELECT * FROM cards WHERE slot = ? AND status IN ('active', 'contested');

-- name: past_answers
SELECT * FROM cards WHERE slot = ? AND status IN ('superseded', 'deprecated', 'retracted') ORDER BY rid DESC LIMIT ?;

-- name: many_cards
SELECT cards.* FROM json_each(?) AS wanted CROSS JOIN cards ON cards.rid = wanted.value;

-- name: latest_cards
SELECT cards.* FROM json_each(?) AS wanted CROSS JOIN cards ON cards.id = wanted.value
WHERE NOT (cards.status = 'superseded' AND cards.successor IS cards.id);

-- name: expired_cards
SELECT * FROM cards WHERE expires_at IS NOT NULL AND expires_at < ? AND status IN ('active', 'contested')
ORDER BY rid;

-- name: review_cards
SELECT * FROM cards WHERE review_at IS NOT NULL AND review_at <= ? AND status IN ('active', 'contested')
ORDER BY review_at, rid;

-- name: edges_of
SELECT edges.rid, edges.type, edges.target FROM json_each(?) AS wanted CROSS JOIN edges ON edges.rid = wanted.value;

-- name: edges_to
SELECT edges.rid, edges.type, edges.target FROM json_each(?) AS wanted CROSS JOIN edges ON edges.target = wanted.value
CROSS JOIN cards ON cards.rid = edges.rid
WHERE NOT (cards.status = 'superseded' AND cards.successor IS cards.id);

-- name: all_edges
SELECT rid, type, target FROM edges WHERE (rid, type, target) > (?, ?, ?)
ORDER BY rid, type, target LIMIT ?;

-- name: put_edge
INSERT INTO edges (rid, type, target) VALUES (?, ?, ?);

-- name: rids_since
SELECT rid FROM cards INDEXED BY cards_by_since WHERE since > ? ORDER BY rid;

-- name: cards_changed
SELECT * FROM cards INDEXED BY cards_by_since WHERE (since, rid) > (?, ?) ORDER BY since, rid LIMIT ?;

-- name: beside
SELECT here.rid,
    (SELECT json_group_array(rid) FROM (
        SELECT c.rid FROM cards c WHERE c.session_id = here.session_id AND c.rid < here.rid AND ({visible})
        ORDER BY c.rid DESC LIMIT ?)),
    (SELECT json_group_array(rid) FROM (
        SELECT c.rid FROM cards c WHERE c.session_id = here.session_id AND c.rid > here.rid AND ({visible})
        ORDER BY c.rid LIMIT ?))
FROM json_each(?) AS wanted CROSS JOIN cards AS here ON here.rid = wanted.value;

-- name: mentions_of
SELECT mentions.rid, mentions.entity, mentions.kind
FROM json_each(?) AS wanted CROSS JOIN mentions ON mentions.rid = wanted.value ORDER BY mentions.rid, mentions.entity;

-- name: latest_mentioning
SELECT rid, entity, kind FROM mentions INDEXED BY mentions_by_entity WHERE entity = ? AND rid <= ?
ORDER BY rid DESC LIMIT ?;

-- name: holders
SELECT wanted.value, (SELECT json_group_array(rid) FROM (
    SELECT rid FROM mentions INDEXED BY mentions_by_entity WHERE entity = wanted.value AND rid <= ?2
    ORDER BY rid DESC LIMIT ?3))
FROM json_each(?1) AS wanted;

-- name: all_mentions
SELECT rid, entity, kind FROM mentions WHERE (rid, entity) > (?, ?) ORDER BY rid, entity LIMIT ?;

-- name: put_mention
INSERT INTO mentions (rid, entity, kind) VALUES (?, ?, ?);

-- name: known_names
SELECT wanted.value FROM json_each(?1) AS wanted
WHERE EXISTS (SELECT 1 FROM aliases WHERE aliases.alias = wanted.value AND aliases.seq <= ?2)
   OR EXISTS (SELECT 1 FROM aliases WHERE aliases.entity = wanted.value AND aliases.seq <= ?2);

-- name: alias
SELECT alias, entity, seq, doc FROM aliases WHERE alias = ? AND seq <= ? ORDER BY seq DESC LIMIT 1;

-- name: names_of
SELECT alias, entity, seq, doc FROM aliases WHERE entity = ? AND seq <= ? ORDER BY alias, seq;

-- name: all_aliases
SELECT alias, entity, seq, doc FROM aliases WHERE (seq, doc, alias) > (?, ?, ?) ORDER BY seq, doc, alias LIMIT ?;

-- name: put_alias
INSERT INTO aliases (alias, entity, seq, doc) VALUES (?, ?, ?, ?);

-- name: score
-- One pass over the matches: asked for row by row, how rare each word is would be worked out anew for each.
SELECT rowid, -bm25(lexicon) FROM lexicon
WHERE lexicon MATCH ?1 AND rowid BETWEEN ?2 AND ?3 AND +rowid IN (SELECT value FROM json_each(?4));

-- name: holds
SELECT 1 FROM lexicon WHERE lexicon MATCH ? AND rowid = ?;

-- name: holding_any
SELECT count(*) FROM lexicon WHERE lexicon MATCH ?;

-- name: close_words
SELECT rowid, -bm25(lexicon) AS score FROM lexicon WHERE lexicon MATCH ? ORDER BY score DESC, rowid DESC LIMIT ?;

-- name: told_of
SELECT rid, actor, count, last FROM told WHERE rid = ? ORDER BY actor;

-- name: told_to
SELECT told.rid FROM json_each(?2) AS wanted CROSS JOIN told ON told.rid = wanted.value AND told.actor = ?1;

-- name: told_since
SELECT told.rid FROM json_each(?2) AS wanted CROSS JOIN told
ON told.rid = wanted.value AND told.actor = ?1 AND told.last >= ?3;

-- name: all_told
SELECT rid, actor, count, last FROM told WHERE (rid, actor) > (?, ?) ORDER BY rid, actor LIMIT ?;

-- name: tell
INSERT INTO told (rid, actor, count, last) SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)
WHERE true
ON CONFLICT (rid, actor) DO UPDATE SET count = count + excluded.count, last = max(last, excluded.last);

-- name: standings
SELECT * FROM standings WHERE rid = ? ORDER BY since;

-- name: all_standings
SELECT * FROM standings WHERE (rid, since) > (?, ?) ORDER BY rid, since LIMIT ?;

-- name: standing_at
SELECT * FROM standings WHERE rid = ? AND since <= ? ORDER BY since DESC LIMIT 1;

-- name: superseded_by
SELECT * FROM cards WHERE successor = ? ORDER BY rid;

-- name: all_cards
SELECT * FROM cards WHERE rid > ? ORDER BY rid LIMIT ?;

-- name: count_cards
SELECT c.status, count(*) FROM cards c WHERE {visible} GROUP BY c.status ORDER BY c.status;

-- name: survey
SELECT c.actor, c.kind, c.scope, c.scope_id, c.namespace,
    count(*), sum(c.effective), sum(c.helpful), sum(c.misleading), max(c.created_at)
FROM cards c WHERE c.status IN ('active', 'contested') AND ({visible})
GROUP BY c.actor, c.kind, c.scope, c.scope_id, c.namespace
ORDER BY c.actor, c.kind, c.scope, c.scope_id, c.namespace;

-- name: put_card
INSERT INTO cards VALUES (
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
);

-- name: put_text
INSERT INTO lexicon (rowid, text) VALUES (?, ?);

-- name: index_text
INSERT INTO lexicon (rowid, text) SELECT rid, text FROM passages WHERE rid = ?;

-- name: standings_of_the_born
CREATE TEMP TRIGGER born AFTER INSERT ON main.cards BEGIN
    INSERT INTO standings VALUES (
        new.rid, new.since, new.status, new.successor, new.own, new.effective, new.label, new.support, new.helpful,
        new.misleading, new.tier, new.accesses, new.last_access);
END;

-- name: put_standing
INSERT INTO standings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: move_card
UPDATE cards SET
    since = ?, status = ?, successor = ?, own = ?, effective = ?, label = ?, support = ?, helpful = ?, misleading = ?,
    tier = ?, accesses = ?, last_access = ?
WHERE rid = ?;

-- name: proposal
SELECT * FROM proposals WHERE id = ?;

-- name: held_proposals
SELECT * FROM proposals WHERE outcome = 'held' AND id > ? ORDER BY id LIMIT ?;

-- name: all_proposals
SELECT * FROM proposals WHERE seq > ? ORDER BY seq LIMIT ?;

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
SELECT * FROM conflicts WHERE (opened, id) > (?, ?) ORDER BY opened, id LIMIT ?;

-- name: conflicts_of
SELECT * FROM conflicts WHERE a = ? UNION SELECT * FROM conflicts WHERE b = ? ORDER BY opened, id;

-- name: conflicts_about
SELECT conflicts.*, wanted.value AS rid FROM json_each(?1) AS wanted CROSS JOIN conflicts ON conflicts.a = wanted.value
UNION ALL
SELECT conflicts.*, wanted.value FROM json_each(?1) AS wanted CROSS JOIN conflicts ON conflicts.b = wanted.value
WHERE conflicts.a <> conflicts.b
ORDER BY opened, id;

-- name: put_conflict
INSERT INTO conflicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    status = excluded.status,
    contests = excluded.contests,
    changed = excluded.changed,
    strategy = excluded.strategy,
    winner = excluded.winner,
    ballots = excluded.ballots;

-- name: last_checkpoint
SELECT signed FROM checkpoints ORDER BY seq DESC LIMIT 1;

-- name: all_checkpoints
SELECT seq, signed FROM checkpoints WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: checkpoints_before
SELECT signed FROM checkpoints WHERE seq < ? ORDER BY seq DESC LIMIT ?;

-- name: put_checkpoint
INSERT INTO checkpoints (seq, signed) VALUES (?, ?) ON CONFLICT (seq) DO UPDATE SET signed = excluded.signed;

-- name: receipt_head
SELECT seq, hash FROM receipts ORDER BY seq DESC LIMIT 1;

-- name: receipt
SELECT seq, id, body, hash, salt, account FROM receipts WHERE id = ?;

-- name: receipts_since
SELECT seq, id, body, hash, salt, account FROM receipts WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: receipts_bytes
SELECT bytes FROM sizes WHERE name = 'receipts';

-- name: receipts_miscounted
SELECT (SELECT bytes FROM sizes WHERE name = 'receipts') IS NOT (
    SELECT IFNULL(sum(octet_length(id) + length(body) + length(hash) + length(salt) + length(account)), 0) FROM receipts
) OR (SELECT count(*) FROM sizes) <> 1;

-- name: terms_unfound
-- All terms are read from the first leaf on; each is then looked for as a search does, from where the index says to begin.
SELECT count(*) FROM lexicon_terms AS written
WHERE written.doc IS NOT (SELECT found.doc FROM lexicon_terms AS found WHERE found.term = written.term);

-- name: append_receipt
INSERT INTO receipts (seq, id, body, hash, salt, account) VALUES (?, ?, ?, ?, ?, ?);

-- name: index_averages
SELECT block FROM lexicon_data WHERE id = 1;

-- name: latest_holding
SELECT wanted.key, (SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM lexicon WHERE lexicon MATCH wanted.value ORDER BY rowid DESC LIMIT ?2))
FROM json_each(?1) AS wanted;

-- name: texts
SELECT passages.rid, passages.text FROM json_each(?) AS wanted CROSS JOIN passages ON passages.rid = wanted.value;

-- name: term_documents
-- The row without a term has the averages of the index.
SELECT lexicon_terms.term, lexicon_terms.doc
FROM json_each(?) AS wanted CROSS JOIN lexicon_terms ON lexicon_terms.term = wanted.value
UNION ALL SELECT NULL, block FROM lexicon_data WHERE id = 1;

-- name: put_note
INSERT INTO notes (topic, key, seq, doc, at, actor, body) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: note
SELECT topic, key, seq, doc, at, actor, body FROM notes WHERE topic = ? AND key = ? ORDER BY doc DESC LIMIT 1;

-- name: present_notes
SELECT topic, key, seq, doc, at, actor, body FROM notes AS standing
WHERE topic = ? AND body IS NOT NULL
  AND doc = (SELECT max(doc) FROM notes WHERE topic = standing.topic AND key = standing.key)
ORDER BY (SELECT min(doc) FROM notes WHERE topic = standing.topic AND key = standing.key);

-- name: notes_since
SELECT topic, key, seq, doc, at, actor, body FROM notes INDEXED BY notes_by_seq WHERE seq > ? ORDER BY seq, doc;

-- name: all_notes
SELECT topic, key, seq, doc, at, actor, body FROM notes WHERE (seq, doc) > (?, ?) ORDER BY seq, doc LIMIT ?;

-- name: erase_text
INSERT INTO lexicon (lexicon, rowid, text) SELECT 'delete', rid, text FROM passages WHERE rid = ?;

-- name: marks
SELECT IFNULL((SELECT max(seq) FROM entries), 0), IFNULL((SELECT max(seq) FROM notes), 0),
    IFNULL((SELECT max(seq) FROM certificates), 0);

-- name: amend_document
UPDATE documents SET salt = ?, body = ? WHERE doc = ?;

-- name: reword_note
UPDATE notes SET body = ? WHERE doc = ?;

-- name: blank_receipt
UPDATE receipts SET salt = ?, account = ? WHERE seq = ?;

-- name: put_certificate
INSERT INTO certificates (seq, signed) VALUES (?, ?);

-- name: all_certificates
SELECT seq, signed FROM certificates WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: drop_alias
DELETE FROM aliases WHERE doc = ?;

-- name: last_erasure
SELECT IFNULL(max(seq), 0) FROM certificates;

-- name: put_tombstone
INSERT INTO tombstones (rid, id, revision, seq) VALUES (?, ?, ?, ?);

-- name: buried
SELECT EXISTS (SELECT 1 FROM tombstones WHERE id = ?);

-- name: all_tombstones
SELECT rid, id, revision, seq FROM tombstones WHERE rid > ? ORDER BY rid LIMIT ?;

-- name: pace
SELECT created_at FROM cards WHERE actor = ? ORDER BY rid DESC LIMIT 1 OFFSET ?;

-- name: heard
SELECT cards.* FROM (SELECT rid, last FROM told WHERE actor = ?1 ORDER BY rid DESC LIMIT 4096) AS heard
CROSS JOIN cards ON cards.rid = heard.rid WHERE cards.label < ?2 ORDER BY heard.last DESC, cards.rid DESC LIMIT ?3;

-- name: ended_for
SELECT ended.rid, told.last FROM (
    SELECT rid, since FROM cards
    WHERE (status IN ('retracted', 'deprecated', 'superseded') OR support IN ('fallen', 'deprecated')) AND since > ?2
    ORDER BY since DESC LIMIT 1024
) AS ended CROSS JOIN told ON told.rid = ended.rid AND told.actor = ?1
ORDER BY ended.since DESC, ended.rid DESC LIMIT ?3;

-- name: erased_for
SELECT erased.rid, erased.id, erased.revision, erased.seq, told.last FROM (
    SELECT * FROM tombstones WHERE seq > ?2 ORDER BY seq DESC LIMIT 1024
) AS erased CROSS JOIN told ON told.rid = erased.rid AND told.actor = ?1
ORDER BY erased.seq DESC, erased.rid DESC LIMIT ?3;

-- name: contributed_by_actor
SELECT * FROM cards WHERE actor = ? ORDER BY rid;

-- name: contributed_by_session
SELECT * FROM cards WHERE session_id = ? ORDER BY rid;

-- name: contributed_by_user
SELECT * FROM cards WHERE scope = 'user' AND scope_id = ? ORDER BY rid;

-- name: contributed_by_source
SELECT cards.* FROM cards CROSS JOIN documents ON documents.doc = cards.rid
WHERE documents.body ->> '$.claim.origin.source' = ? ORDER BY cards.rid;

-- name: mark_scrubbed
INSERT INTO about (name, value) VALUES ('scrubbed', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: unscrubbed
SELECT IFNULL((SELECT max(seq) FROM certificates), 0)
    <> IFNULL((SELECT CAST(value AS INTEGER) FROM about WHERE name = 'scrubbed'), 0);
