-- Revision 1: the spine. Truth first (entries, documents, receipts, checkpoints), then what is derived from it.

CREATE TABLE about (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE entries (
    seq  INTEGER PRIMARY KEY,
    body BLOB NOT NULL,
    hash BLOB NOT NULL
) STRICT;

CREATE TABLE documents (
    doc  INTEGER PRIMARY KEY,
    salt BLOB NOT NULL,
    body TEXT NOT NULL
) STRICT;

CREATE TABLE receipts (
    seq     INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    body    BLOB NOT NULL,
    hash    BLOB NOT NULL,
    salt    BLOB NOT NULL,
    account BLOB NOT NULL
) STRICT;

CREATE TABLE checkpoints (
    seq    INTEGER PRIMARY KEY,
    signed BLOB NOT NULL
) STRICT;

CREATE TABLE cards (
    rid          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL,
    revision     INTEGER NOT NULL,
    seq          INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    memory_class TEXT NOT NULL,
    scope        TEXT NOT NULL,
    scope_id     TEXT NOT NULL,
    namespace    TEXT NOT NULL,
    session_id   TEXT,
    sensitivity  INTEGER NOT NULL,
    trust        INTEGER NOT NULL,
    label        INTEGER NOT NULL,
    confidence   REAL NOT NULL,
    provenance   INTEGER NOT NULL CHECK (provenance IN (0, 1)),
    actor        TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    valid_from   INTEGER,
    valid_until  INTEGER,
    expires_at   INTEGER,
    fingerprint  BLOB NOT NULL,
    slot         TEXT,
    born         TEXT NOT NULL,
    status       TEXT NOT NULL,
    since        INTEGER NOT NULL,
    successor    TEXT
) STRICT;

CREATE UNIQUE INDEX cards_by_id ON cards (id, revision);
CREATE INDEX cards_by_fingerprint ON cards (fingerprint) WHERE status IN ('active', 'contested');
CREATE INDEX cards_by_slot ON cards (slot) WHERE slot IS NOT NULL AND status IN ('active', 'contested');
CREATE INDEX cards_by_successor ON cards (successor) WHERE successor IS NOT NULL;
-- The last lock: whatever a decision got wrong, two revisions of one record never speak at once.
CREATE UNIQUE INDEX cards_one_current ON cards (id) WHERE status IN ('active', 'contested');

CREATE TABLE standings (
    rid       INTEGER NOT NULL,
    since     INTEGER NOT NULL,
    status    TEXT NOT NULL,
    successor TEXT,
    PRIMARY KEY (rid, since)
) STRICT, WITHOUT ROWID;

CREATE TABLE proposals (
    seq         INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    at          INTEGER NOT NULL,
    actor       TEXT NOT NULL,
    outcome     TEXT NOT NULL,
    disposition TEXT NOT NULL,
    digest      TEXT NOT NULL,
    report      INTEGER NOT NULL,
    held        INTEGER,
    record      TEXT,
    revision    INTEGER
) STRICT;

CREATE INDEX proposals_held ON proposals (id) WHERE outcome = 'held';

CREATE TABLE conflicts (
    id      TEXT PRIMARY KEY,
    status  TEXT NOT NULL,
    a       INTEGER NOT NULL,
    b       INTEGER NOT NULL,
    why     TEXT NOT NULL,
    opened  INTEGER NOT NULL,
    changed INTEGER NOT NULL
) STRICT;

CREATE INDEX conflicts_by_a ON conflicts (a);
CREATE INDEX conflicts_by_b ON conflicts (b);

-- The index keeps terms only; the text stays in its document, so that there is one copy to erase.
CREATE VIEW passages AS
    SELECT cards.rid AS rid, documents.body ->> '$.claim.content' AS text
    FROM cards JOIN documents ON documents.doc = cards.rid;

CREATE VIRTUAL TABLE lexicon USING fts5 (
    text,
    content = 'passages',
    content_rowid = 'rid',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO lexicon (lexicon, rank) VALUES ('secure-delete', 1);

CREATE VIRTUAL TABLE lexicon_terms USING fts5vocab (lexicon, row);
