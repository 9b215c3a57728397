-- Revision 2. Truth first (entries, documents, receipts, checkpoints), then what is derived from it.
-- Revision 1 was never released: its ledger says nothing of belief, so there is nothing to bring it up from.

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
    importance   REAL NOT NULL,
    half_life    REAL,
    anchored     INTEGER NOT NULL CHECK (anchored IN (0, 1)),
    review_at    INTEGER,
    readers      TEXT NOT NULL,
    status       TEXT NOT NULL,
    since        INTEGER NOT NULL,
    successor    TEXT,
    own          REAL NOT NULL,
    effective    REAL NOT NULL,
    support      TEXT NOT NULL,
    helpful      REAL NOT NULL,
    misleading   REAL NOT NULL,
    tier         TEXT NOT NULL,
    accesses     INTEGER NOT NULL,
    last_access  INTEGER
) STRICT;

CREATE UNIQUE INDEX cards_by_id ON cards (id, revision);
CREATE INDEX cards_by_fingerprint ON cards (fingerprint) WHERE status IN ('active', 'contested');
CREATE INDEX cards_past_fingerprint ON cards (fingerprint) WHERE status IN ('superseded', 'deprecated', 'retracted');
CREATE INDEX cards_by_slot ON cards (slot) WHERE slot IS NOT NULL AND status IN ('active', 'contested');
CREATE INDEX cards_past_slot ON cards (slot) WHERE slot IS NOT NULL AND status IN ('superseded', 'deprecated', 'retracted');
CREATE INDEX cards_by_expiry ON cards (expires_at) WHERE expires_at IS NOT NULL AND status IN ('active', 'contested');
CREATE INDEX cards_by_review ON cards (review_at) WHERE review_at IS NOT NULL AND status IN ('active', 'contested');
CREATE INDEX cards_by_successor ON cards (successor) WHERE successor IS NOT NULL;
-- The last lock: whatever a decision got wrong, two revisions of one record never speak at once.
CREATE UNIQUE INDEX cards_one_current ON cards (id) WHERE status IN ('active', 'contested');

-- Everything a revision ever counted for, its birth included.
CREATE TABLE standings (
    rid         INTEGER NOT NULL,
    since       INTEGER NOT NULL,
    status      TEXT NOT NULL,
    successor   TEXT,
    own         REAL NOT NULL,
    effective   REAL NOT NULL,
    label       INTEGER NOT NULL,
    support     TEXT NOT NULL,
    helpful     REAL NOT NULL,
    misleading  REAL NOT NULL,
    tier        TEXT NOT NULL,
    accesses    INTEGER NOT NULL,
    last_access INTEGER,
    PRIMARY KEY (rid, since)
) STRICT, WITHOUT ROWID;

CREATE TABLE edges (
    rid    INTEGER NOT NULL,
    type   TEXT NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (rid, type, target)
) STRICT, WITHOUT ROWID;

CREATE INDEX edges_by_target ON edges (target);

-- Counted from the receipts: what was told to whom.
CREATE TABLE told (
    rid   INTEGER NOT NULL,
    actor TEXT NOT NULL,
    count INTEGER NOT NULL,
    last  INTEGER NOT NULL,
    PRIMARY KEY (rid, actor)
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
    id       TEXT PRIMARY KEY,
    type     TEXT NOT NULL,
    status   TEXT NOT NULL,
    a        INTEGER NOT NULL,
    b        INTEGER NOT NULL,
    why      TEXT NOT NULL,
    contests INTEGER NOT NULL CHECK (contests IN (0, 1)),
    opened   INTEGER NOT NULL,
    changed  INTEGER NOT NULL,
    strategy TEXT,
    winner   TEXT,
    ballots  TEXT NOT NULL
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
-- Few segments, so that looking a word up, which every write does for several words, does not slow down as they pile up.
INSERT INTO lexicon (lexicon, rank) VALUES ('automerge', 2);

CREATE VIRTUAL TABLE lexicon_terms USING fts5vocab (lexicon, row);
