-- name: some_entries
SELECT seq, body, hash FROM entries WHERE tenant_id = $1 AND seq = ANY($2::bigint[]) ORDER BY seq;

-- name: entries
SELECT seq, body, hash FROM entries WHERE tenant_id = $1 AND seq BETWEEN $2 AND $3 ORDER BY seq;

-- name: last_checkpoint
SELECT signed FROM checkpoints WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1;

-- name: checkpoints_before
SELECT signed FROM checkpoints WHERE tenant_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3;

-- name: all_checkpoints
SELECT seq, signed FROM checkpoints WHERE tenant_id = $1 ORDER BY seq;

-- name: last_erasure
SELECT seq FROM certificates WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1;

-- name: all_certificates
SELECT seq, signed FROM certificates WHERE tenant_id = $1 ORDER BY seq;

-- name: document
SELECT doc, salt, body FROM documents WHERE tenant_id = $1 AND doc = $2;

-- name: many_documents
SELECT doc, salt, body FROM documents WHERE tenant_id = $1 AND doc = ANY($2::bigint[]);

-- name: all_documents
SELECT doc, salt, body FROM documents WHERE tenant_id = $1 ORDER BY doc;

-- name: edges_of
SELECT e.rid, e.type, e.target
FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (rid, place)
JOIN edges e ON e.tenant_id = $1 AND e.rid = wanted.rid
ORDER BY wanted.place, e.type, e.target;

-- name: edges_to
SELECT e.rid, e.type, e.target
FROM unnest($2::text[]) WITH ORDINALITY AS wanted (target, place)
JOIN edges e ON e.tenant_id = $1 AND e.target = wanted.target
JOIN cards c ON c.tenant_id = $1 AND c.rid = e.rid
WHERE NOT (c.status = 'superseded' AND c.successor IS NOT DISTINCT FROM c.id)
ORDER BY wanted.place, e.rid, e.type;

-- name: all_edges
SELECT rid, type, target FROM edges WHERE tenant_id = $1 ORDER BY rid, type, target;

-- name: proposal
SELECT seq, id, at, actor, outcome, disposition, digest, report, held, record, revision
FROM proposals WHERE tenant_id = $1 AND id = $2;

-- name: some_proposals
SELECT seq, id, at, actor, outcome, disposition, digest, report, held, record, revision
FROM proposals WHERE tenant_id = $1 AND id = ANY($2::text[]);

-- name: held_proposals
SELECT seq, id, at, actor, outcome, disposition, digest, report, held, record, revision
FROM proposals WHERE tenant_id = $1 AND outcome = 'held' AND id > $2 ORDER BY id LIMIT $3;

-- name: all_proposals
SELECT seq, id, at, actor, outcome, disposition, digest, report, held, record, revision
FROM proposals WHERE tenant_id = $1 ORDER BY seq;

-- name: conflict
SELECT id, type, status, a, b, why, contests, opened, changed, strategy, winner, ballots
FROM conflicts WHERE tenant_id = $1 AND id = $2;

-- name: all_conflicts
SELECT id, type, status, a, b, why, contests, opened, changed, strategy, winner, ballots
FROM conflicts WHERE tenant_id = $1 ORDER BY opened, id;

-- name: conflicts_of
SELECT id, type, status, a, b, why, contests, opened, changed, strategy, winner, ballots
FROM conflicts WHERE tenant_id = $1 AND (a = $2 OR b = $2) ORDER BY opened, id;

-- name: conflicts_about
SELECT id, type, status, a, b, why, contests, opened, changed, strategy, winner, ballots
FROM conflicts WHERE tenant_id = $1 AND (a = ANY($2::bigint[]) OR b = ANY($2::bigint[])) ORDER BY opened, id;

-- name: note
-- The number of a long key comes from the index; the key itself decides.
SELECT topic, key, seq, doc, at, actor, body FROM notes
WHERE tenant_id = $1 AND topic = $2 AND key_mark = hashtextextended($3, 0) AND key = $3
ORDER BY doc DESC LIMIT 1;

-- name: present_notes
SELECT topic, key, seq, doc, at, actor, body FROM (
    SELECT n.topic, n.key, n.seq, n.doc, n.at, n.actor, n.body,
        min(n.doc) OVER (PARTITION BY n.key) AS first, max(n.doc) OVER (PARTITION BY n.key) AS last
    FROM notes n WHERE n.tenant_id = $1 AND n.topic = $2
) AS known
WHERE doc = last AND body IS NOT NULL ORDER BY first;

-- name: notes_since
SELECT topic, key, seq, doc, at, actor, body FROM notes WHERE tenant_id = $1 AND seq > $2 ORDER BY seq, doc;

-- name: receipt_head
SELECT seq, hash FROM receipts WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1;

-- name: receipt
SELECT seq, id, body, hash, salt, account FROM receipts WHERE tenant_id = $1 AND id = $2;

-- name: receipts_since
SELECT seq, id, body, hash, salt, account FROM receipts WHERE tenant_id = $1 AND seq > $2 ORDER BY seq;

-- name: told_of
SELECT rid, actor, count, last FROM told WHERE tenant_id = $1 AND rid = $2 ORDER BY actor;

-- name: told_to
SELECT rid FROM told WHERE tenant_id = $1 AND actor = $2 AND rid = ANY($3::bigint[]);

-- name: told_since
SELECT rid FROM told WHERE tenant_id = $1 AND actor = $2 AND rid = ANY($3::bigint[]) AND last >= $4;

-- name: all_told
SELECT rid, actor, count, last FROM told WHERE tenant_id = $1 ORDER BY rid, actor;

-- name: card
SELECT {card} FROM cards c WHERE c.tenant_id = $1 AND c.rid = $2;

-- name: current_card
SELECT {card} FROM cards c WHERE c.tenant_id = $1 AND c.id = $2 AND c.status IN ('active', 'contested');

-- name: revisions
SELECT {card} FROM cards c WHERE c.tenant_id = $1 AND c.id = $2 ORDER BY c.revision;

-- name: twins
SELECT {card} FROM cards c
WHERE c.tenant_id = $1 AND c.fingerprint = $2
    AND c.status IN ('active', 'contested', 'superseded', 'deprecated', 'retracted')
ORDER BY c.rid;

-- name: occupants
SELECT {card} FROM cards c
WHERE c.tenant_id = $1 AND c.slot_mark = hashtextextended($2, 0) AND c.slot = $2
    AND c.status IN ('active', 'contested');

-- name: past_answers
SELECT {card} FROM cards c
WHERE c.tenant_id = $1 AND c.slot_mark = hashtextextended($2, 0) AND c.slot = $2
    AND c.status IN ('superseded', 'deprecated', 'retracted')
ORDER BY c.rid DESC LIMIT $3;

-- name: cards_alike
SELECT {card} FROM unnest($2::bytea[]) AS wanted (mark)
CROSS JOIN LATERAL (
    SELECT * FROM cards WHERE tenant_id = $1 AND fingerprint = wanted.mark ORDER BY rid LIMIT $3
) AS c;

-- name: cards_answering
SELECT {card} FROM unnest($2::text[]) AS wanted (slot)
CROSS JOIN LATERAL (
    SELECT * FROM cards WHERE tenant_id = $1 AND slot_mark = hashtextextended(wanted.slot, 0) AND slot = wanted.slot
    ORDER BY rid LIMIT $3
) AS c;

-- name: cards_named
SELECT {card} FROM unnest($2::text[]) AS wanted (id)
CROSS JOIN LATERAL (SELECT * FROM cards WHERE tenant_id = $1 AND id = wanted.id ORDER BY rid LIMIT $3) AS c;

-- name: many_cards
SELECT {card} FROM cards c WHERE c.tenant_id = $1 AND c.rid = ANY($2::bigint[]);

-- name: latest_cards
SELECT {card} FROM cards c
WHERE c.tenant_id = $1 AND c.id = ANY($2::text[])
    AND NOT (c.status = 'superseded' AND c.successor IS NOT DISTINCT FROM c.id)
ORDER BY c.id, c.revision;

-- name: expired_cards
SELECT {card} FROM cards c
WHERE c.tenant_id = $1 AND c.expires_at IS NOT NULL AND c.expires_at < $2 AND c.status IN ('active', 'contested')
ORDER BY c.rid;

-- name: review_cards
SELECT {card} FROM cards c
WHERE c.tenant_id = $1 AND c.review_at IS NOT NULL AND c.review_at <= $2 AND c.status IN ('active', 'contested')
ORDER BY c.review_at, c.rid;

-- name: superseded_by
SELECT {card} FROM cards c WHERE c.tenant_id = $1 AND c.successor = $2 ORDER BY c.rid;

-- name: standings
SELECT s.rid, s.since, s.status, s.successor, s.own, s.effective, s.label, s.support, s.helpful, s.misleading, s.tier,
    s.accesses, s.last_access
FROM standings s WHERE s.tenant_id = $1 AND s.rid = $2 ORDER BY s.since;

-- name: all_standings
SELECT s.rid, s.since, s.status, s.successor, s.own, s.effective, s.label, s.support, s.helpful, s.misleading, s.tier,
    s.accesses, s.last_access
FROM standings s WHERE s.tenant_id = $1 ORDER BY s.rid, s.since;

-- name: standing_at
-- A card shows the standing it has now. Of a card that has moved since, the one it had then comes with it.
SELECT {card},
    s.rid, s.since, s.status, s.successor, s.own, s.effective, s.label, s.support, s.helpful, s.misleading, s.tier,
    s.accesses, s.last_access
FROM cards c LEFT JOIN LATERAL (
    SELECT * FROM standings WHERE tenant_id = $1 AND rid = c.rid AND since <= $3 AND c.since > $3
    ORDER BY since DESC LIMIT 1
) AS s ON TRUE
WHERE c.tenant_id = $1 AND c.rid = $2;

-- name: cards_since
SELECT {card} FROM cards c WHERE c.tenant_id = $1 AND c.since > $2 ORDER BY c.rid;

-- name: cards_changed
SELECT {card} FROM cards c WHERE c.tenant_id = $1 AND c.since > $2 ORDER BY c.since, c.rid;

-- name: beside
SELECT here.rid,
    ARRAY(
        SELECT c.rid FROM cards c
        WHERE c.tenant_id = $1 AND c.session_id = here.session_id AND c.rid < here.rid AND ({visible})
        ORDER BY c.rid DESC LIMIT $3
    ),
    ARRAY(
        SELECT c.rid FROM cards c
        WHERE c.tenant_id = $1 AND c.session_id = here.session_id AND c.rid > here.rid AND ({visible})
        ORDER BY c.rid LIMIT $3
    )
FROM cards here WHERE here.tenant_id = $1 AND here.rid = ANY($2::bigint[]);

-- name: newest
SELECT {card} FROM cards c
WHERE c.tenant_id = $1 AND c.seq <= $2 AND c.since > $3 AND ({conditions})
ORDER BY c.rid DESC LIMIT $4;

-- name: newest_then
SELECT {card},
    s.rid, s.since, s.status, s.successor, s.own, s.effective, s.label, s.support, s.helpful, s.misleading, s.tier,
    s.accesses, s.last_access
FROM cards c CROSS JOIN LATERAL (
    SELECT * FROM standings WHERE tenant_id = $1 AND rid = c.rid AND since <= $2 ORDER BY since DESC LIMIT 1
) AS s
WHERE c.tenant_id = $1 AND c.seq <= $2 AND s.since > $3 AND ({conditions})
ORDER BY c.rid DESC LIMIT $4;

-- name: survey
SELECT c.actor, c.kind, c.scope, c.scope_id, c.namespace,
    count(*), sum(c.effective), sum(c.helpful), sum(c.misleading), max(c.created_at)
FROM cards c WHERE c.tenant_id = $1 AND c.status IN ('active', 'contested') AND ({visible})
GROUP BY c.actor, c.kind, c.scope, c.scope_id, c.namespace
ORDER BY c.actor, c.kind, c.scope, c.scope_id, c.namespace;

-- name: pace
SELECT created_at FROM cards WHERE tenant_id = $1 AND actor = $2 ORDER BY rid DESC LIMIT 1 OFFSET $3;

-- name: paces
SELECT rid, created_at FROM cards WHERE tenant_id = $1 AND actor = $2 ORDER BY rid DESC LIMIT $3;

-- name: heard
SELECT {card}
FROM (SELECT rid, last FROM told WHERE tenant_id = $1 AND actor = $2 ORDER BY rid DESC LIMIT 4096) AS heard
JOIN cards c ON c.tenant_id = $1 AND c.rid = heard.rid
WHERE c.label < $3 ORDER BY heard.last DESC, c.rid DESC LIMIT $4;

-- name: ended_for
SELECT ended.rid, told.last
FROM (
    SELECT rid, since FROM cards
    WHERE tenant_id = $1 AND since > $3
        AND (status IN ('retracted', 'deprecated', 'superseded') OR support IN ('fallen', 'deprecated'))
    ORDER BY since DESC LIMIT 1024
) AS ended
JOIN told ON told.tenant_id = $1 AND told.rid = ended.rid AND told.actor = $2
ORDER BY ended.since DESC, ended.rid DESC LIMIT $4;

-- name: erased_for
SELECT erased.rid, erased.id, erased.revision, erased.seq, told.last
FROM (
    SELECT rid, id, revision, seq FROM tombstones WHERE tenant_id = $1 AND seq > $3 ORDER BY seq DESC LIMIT 1024
) AS erased
JOIN told ON told.tenant_id = $1 AND told.rid = erased.rid AND told.actor = $2
ORDER BY erased.seq DESC, erased.rid DESC LIMIT $4;

-- name: contributed_by_actor
SELECT {card} FROM cards c WHERE c.tenant_id = $1 AND c.actor = $2 ORDER BY c.rid;

-- name: contributed_by_session
SELECT {card} FROM cards c WHERE c.tenant_id = $1 AND c.session_id = $2 ORDER BY c.rid;

-- name: contributed_by_user
SELECT {card} FROM cards c WHERE c.tenant_id = $1 AND c.scope = 'user' AND c.scope_id = $2 ORDER BY c.rid;

-- name: card_documents
SELECT d.doc, d.body FROM cards c JOIN documents d ON d.tenant_id = $1 AND d.doc = c.rid
WHERE c.tenant_id = $1 ORDER BY d.doc;

-- name: buried
SELECT rid FROM tombstones WHERE tenant_id = $1 AND id = $2 LIMIT 1;

-- name: some_buried
SELECT DISTINCT id FROM tombstones WHERE tenant_id = $1 AND id = ANY($2::text[]);

-- name: all_tombstones
SELECT rid, id, revision, seq FROM tombstones WHERE tenant_id = $1 ORDER BY rid;

-- name: all_cards
SELECT {card} FROM cards c WHERE c.tenant_id = $1 AND c.rid > $2 ORDER BY c.rid;

-- name: count_cards
SELECT c.status, count(*) FROM cards c WHERE c.tenant_id = $1 AND ({visible}) GROUP BY c.status ORDER BY c.status;

-- name: names_beside
-- The chief of a name is the entity it was given to last. All names that have the same chief are names of one thing.
SELECT wanted.name, chief.entity, ARRAY(
    SELECT given.alias FROM aliases given
    WHERE given.tenant_id = $1 AND given.entity_mark = hashtextextended(chief.entity, 0)
        AND given.entity = chief.entity AND given.seq <= $3 AND chief.entity = (
            SELECT a.entity FROM aliases a
            WHERE a.tenant_id = $1 AND a.alias_mark = given.alias_mark AND a.alias = given.alias AND a.seq <= $3
            ORDER BY a.seq DESC LIMIT 1
        )
)
FROM unnest($2::text[]) AS wanted (name)
CROSS JOIN LATERAL (
    SELECT COALESCE((
        SELECT a.entity FROM aliases a
        WHERE a.tenant_id = $1 AND a.alias_mark = hashtextextended(wanted.name, 0) AND a.alias = wanted.name
            AND a.seq <= $3
        ORDER BY a.seq DESC LIMIT 1
    ), wanted.name) AS entity OFFSET 0
) AS chief;

-- name: mentions_of
SELECT rid, entity, kind FROM mentions WHERE tenant_id = $1 AND rid = ANY($2::bigint[]);

-- name: latest_mentioning
SELECT rid, entity, kind FROM mentions WHERE tenant_id = $1 AND entity = $2 AND rid <= $3 ORDER BY rid DESC LIMIT $4;

-- name: latest_mentioning_each
SELECT m.rid, m.entity, m.kind FROM unnest($2::text[]) AS wanted (name)
CROSS JOIN LATERAL (
    SELECT rid, entity, kind FROM mentions WHERE tenant_id = $1 AND entity = wanted.name ORDER BY rid DESC LIMIT $3
) AS m;

-- name: holders
SELECT wanted.name, ARRAY(
    SELECT m.rid FROM mentions m WHERE m.tenant_id = $1 AND m.entity = wanted.name AND m.rid <= $3
    ORDER BY m.rid DESC LIMIT $4
)
FROM unnest($2::text[]) AS wanted (name);

-- name: all_mentions
SELECT rid, entity, kind FROM mentions WHERE tenant_id = $1 ORDER BY rid;

-- name: all_aliases
SELECT alias, entity, seq, doc FROM aliases WHERE tenant_id = $1 ORDER BY seq, doc;
