-- The parts of the one question for the facts of a proposal. Each row begins with the name of its part and has as many
-- columns as a card; {n} stands for what is missing after n columns.

-- name: version
SELECT 'version', data_version {1} FROM pragma_data_version

-- name: head
SELECT 'head', head.* {4} FROM (
    SELECT seq, body, hash, (SELECT ifnull(max(seq), 0) FROM checkpoints) FROM entries ORDER BY seq DESC LIMIT 1) AS head

-- name: receipts
SELECT 'receipts', last.* {2} FROM (SELECT seq, hash FROM receipts ORDER BY seq DESC LIMIT 1) AS last

-- name: filed
SELECT 'filed', proposals.* {11} FROM proposals WHERE id = :proposal

-- name: twin
SELECT 'twin', cards.* FROM cards WHERE fingerprint = :fingerprint AND status IN ('active', 'contested')

-- name: past_twins
SELECT 'past_twins', cards.* FROM cards
WHERE fingerprint = :fingerprint AND status IN ('superseded', 'deprecated', 'retracted')

-- name: occupants
SELECT 'occupants', cards.* FROM cards WHERE slot = :slot AND status IN ('active', 'contested')

-- name: past_answers
SELECT 'past_answers', past.* FROM (
    SELECT * FROM cards WHERE slot = :slot AND status IN ('superseded', 'deprecated', 'retracted')
    ORDER BY rid DESC LIMIT :answers_max) AS past

-- name: revisions
SELECT 'revisions', cards.* FROM json_each(:records) AS wanted CROSS JOIN cards ON cards.id = wanted.value

-- name: buried
SELECT 'buried', wanted.value {1} FROM json_each(:records) AS wanted
WHERE EXISTS (SELECT 1 FROM tombstones WHERE id = wanted.value)

-- name: pace
SELECT 'pace', nth.* {1} FROM (
    SELECT created_at FROM cards WHERE actor = :actor ORDER BY rid DESC LIMIT 1 OFFSET :burst - 1) AS nth

-- name: heard
SELECT 'heard', told.* FROM (
    SELECT cards.* FROM (SELECT rid, last FROM told WHERE actor = :listener ORDER BY rid DESC LIMIT 4096) AS heard
    CROSS JOIN cards ON cards.rid = heard.rid WHERE cards.label < :below
    ORDER BY heard.last DESC, cards.rid DESC LIMIT :heard_max) AS told

-- name: about
SELECT 'about', (SELECT json_group_array(rid) FROM (
    SELECT rid FROM mentions INDEXED BY mentions_by_entity WHERE entity = wanted.value
    ORDER BY rid DESC LIMIT :subjects_max)) {1}
FROM json_each(:subjects) AS wanted

-- name: holding
SELECT 'holding', wanted.key, (SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM lexicon WHERE lexicon MATCH wanted.value ORDER BY rowid DESC LIMIT :postings)) {2}
FROM json_each(:terms) AS wanted
