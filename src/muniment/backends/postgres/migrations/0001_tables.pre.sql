-- Revision 1. Every table of a tenant begins with tenant_id, in its primary key too: the same schema lives on one
-- server and, distributed by tenant_id, on many. Text is compared by its bytes, whatever the database's own collation.
-- One statement ends with a semicolon at the end of a line.

CREATE TABLE deployment (
    name text COLLATE "C" PRIMARY KEY,
    body bytea NOT NULL
);

CREATE TABLE tenants (
    tenant_id  bigint PRIMARY KEY,
    name       text COLLATE "C" NOT NULL UNIQUE
);

-- One row that every write of a tenant updates first: whoever holds it writes, the others wait. It also counts what a
-- search needs to know and nobody wants to count again: the texts in the word index, and their terms.
CREATE TABLE tenant_head (
    tenant_id     bigint PRIMARY KEY,
    turn          bigint NOT NULL DEFAULT 0,
    seq           bigint NOT NULL DEFAULT 0,
    hash          bytea  NOT NULL DEFAULT '',
    notes         bigint NOT NULL DEFAULT 0,
    erasure       bigint NOT NULL DEFAULT 0,
    scrubbed      bigint NOT NULL DEFAULT 0,
    receipts      bigint NOT NULL DEFAULT 0,
    receipts_hash bytea  NOT NULL DEFAULT '',
    texts         bigint NOT NULL DEFAULT 0,
    terms         bigint NOT NULL DEFAULT 0,
    last_text     bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);

CREATE TABLE entries (
    tenant_id bigint NOT NULL,
    seq       bigint NOT NULL,
    body      bytea NOT NULL,
    hash      bytea NOT NULL,
    PRIMARY KEY (tenant_id, seq)
);

CREATE TABLE documents (
    tenant_id bigint NOT NULL,
    doc       bigint NOT NULL,
    salt      bytea NOT NULL,
    body      bytea NOT NULL,
    PRIMARY KEY (tenant_id, doc)
);

CREATE TABLE receipts (
    tenant_id bigint NOT NULL,
    seq       bigint NOT NULL,
    id        text COLLATE "C" NOT NULL,
    body      bytea NOT NULL,
    hash      bytea NOT NULL,
    salt      bytea NOT NULL,
    account   bytea NOT NULL,
    PRIMARY KEY (tenant_id, seq)
);

CREATE UNIQUE INDEX receipts_by_id ON receipts (tenant_id, id);

CREATE TABLE checkpoints (
    tenant_id bigint NOT NULL,
    seq       bigint NOT NULL,
    signed    bytea NOT NULL,
    PRIMARY KEY (tenant_id, seq)
);

CREATE TABLE certificates (
    tenant_id bigint NOT NULL,
    seq       bigint NOT NULL,
    signed    bytea NOT NULL,
    PRIMARY KEY (tenant_id, seq)
);

CREATE TABLE tombstones (
    tenant_id bigint NOT NULL,
    rid       bigint NOT NULL,
    id        text COLLATE "C" NOT NULL,
    revision  bigint NOT NULL,
    seq       bigint NOT NULL,
    PRIMARY KEY (tenant_id, rid)
);

CREATE INDEX tombstones_by_id ON tombstones (tenant_id, id);

CREATE TABLE cards (
    tenant_id    bigint NOT NULL,
    rid          bigint NOT NULL,
    id           text COLLATE "C" NOT NULL,
    revision     bigint NOT NULL,
    seq          bigint NOT NULL,
    kind         text COLLATE "C" NOT NULL,
    memory_class text COLLATE "C" NOT NULL,
    scope        text COLLATE "C" NOT NULL,
    scope_id     text COLLATE "C" NOT NULL,
    namespace    text COLLATE "C" NOT NULL,
    session_id   text COLLATE "C",
    sensitivity  bigint NOT NULL,
    trust        bigint NOT NULL,
    label        bigint NOT NULL,
    confidence   double precision NOT NULL,
    provenance   boolean NOT NULL,
    actor        text COLLATE "C" NOT NULL,
    created_at   bigint NOT NULL,
    valid_from   bigint,
    valid_until  bigint,
    expires_at   bigint,
    fingerprint  bytea NOT NULL,
    slot         text COLLATE "C",
    importance   double precision NOT NULL,
    half_life    double precision,
    anchored     boolean NOT NULL,
    review_at    bigint,
    readers      text COLLATE "C" NOT NULL,
    status       text COLLATE "C" NOT NULL,
    since        bigint NOT NULL,
    successor    text COLLATE "C",
    own          double precision NOT NULL,
    effective    double precision NOT NULL,
    support      text COLLATE "C" NOT NULL,
    helpful      double precision NOT NULL,
    misleading   double precision NOT NULL,
    tier         text COLLATE "C" NOT NULL,
    accesses     bigint NOT NULL,
    last_access  bigint,
    event_time   bigint,
    slot_mark    bigint GENERATED ALWAYS AS (hashtextextended(slot, 0)) STORED,
    PRIMARY KEY (tenant_id, rid)
) WITH (fillfactor = 90);

CREATE UNIQUE INDEX cards_by_id ON cards (tenant_id, id, revision);
CREATE INDEX cards_by_fingerprint ON cards (tenant_id, fingerprint);
-- A question may be longer than an index entry: it is found by a number and compared as a whole. The number is a column,
-- because what row-level security does not know to be harmless never reaches an index.
CREATE INDEX cards_by_slot ON cards (tenant_id, slot_mark) WHERE slot_mark IS NOT NULL;
CREATE INDEX cards_by_expiry ON cards (tenant_id, expires_at) WHERE expires_at IS NOT NULL AND status IN ('active', 'contested');
CREATE INDEX cards_by_review ON cards (tenant_id, review_at) WHERE review_at IS NOT NULL AND status IN ('active', 'contested');
CREATE INDEX cards_by_successor ON cards (tenant_id, successor) WHERE successor IS NOT NULL;
CREATE INDEX cards_by_since ON cards (tenant_id, since);
CREATE INDEX cards_by_session ON cards (tenant_id, session_id, rid) WHERE session_id IS NOT NULL;
CREATE INDEX cards_by_actor ON cards (tenant_id, actor, rid);
-- The last lock: whatever a decision got wrong, two revisions of one record never speak at once.
CREATE UNIQUE INDEX cards_one_current ON cards (tenant_id, id) WHERE status IN ('active', 'contested');

CREATE TABLE standings (
    tenant_id   bigint NOT NULL,
    rid         bigint NOT NULL,
    since       bigint NOT NULL,
    status      text COLLATE "C" NOT NULL,
    successor   text COLLATE "C",
    own         double precision NOT NULL,
    effective   double precision NOT NULL,
    label       bigint NOT NULL,
    support     text COLLATE "C" NOT NULL,
    helpful     double precision NOT NULL,
    misleading  double precision NOT NULL,
    tier        text COLLATE "C" NOT NULL,
    accesses    bigint NOT NULL,
    last_access bigint,
    PRIMARY KEY (tenant_id, rid, since)
);

CREATE TABLE edges (
    tenant_id bigint NOT NULL,
    rid       bigint NOT NULL,
    type      text COLLATE "C" NOT NULL,
    target    text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, rid, type, target)
);

CREATE INDEX edges_by_target ON edges (tenant_id, target);

CREATE TABLE told (
    tenant_id bigint NOT NULL,
    rid       bigint NOT NULL,
    actor     text COLLATE "C" NOT NULL,
    count     bigint NOT NULL,
    last      bigint NOT NULL,
    PRIMARY KEY (tenant_id, rid, actor)
) WITH (fillfactor = 80);

CREATE INDEX told_by_actor ON told (tenant_id, actor, rid);

CREATE TABLE proposals (
    tenant_id   bigint NOT NULL,
    seq         bigint NOT NULL,
    id          text COLLATE "C" NOT NULL,
    at          bigint NOT NULL,
    actor       text COLLATE "C" NOT NULL,
    outcome     text COLLATE "C" NOT NULL,
    disposition text COLLATE "C" NOT NULL,
    digest      text COLLATE "C" NOT NULL,
    report      bigint NOT NULL,
    held        bigint,
    record      text COLLATE "C",
    revision    bigint,
    PRIMARY KEY (tenant_id, id)
);

CREATE UNIQUE INDEX proposals_by_seq ON proposals (tenant_id, seq);
CREATE INDEX proposals_held ON proposals (tenant_id, id) WHERE outcome = 'held';

CREATE TABLE conflicts (
    tenant_id bigint NOT NULL,
    id        text COLLATE "C" NOT NULL,
    type      text COLLATE "C" NOT NULL,
    status    text COLLATE "C" NOT NULL,
    a         bigint NOT NULL,
    b         bigint NOT NULL,
    why       text COLLATE "C" NOT NULL,
    contests  boolean NOT NULL,
    opened    bigint NOT NULL,
    changed   bigint NOT NULL,
    strategy  text COLLATE "C",
    winner    text COLLATE "C",
    ballots   text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

CREATE INDEX conflicts_by_a ON conflicts (tenant_id, a);
CREATE INDEX conflicts_by_b ON conflicts (tenant_id, b);

CREATE TABLE mentions (
    tenant_id bigint NOT NULL,
    rid       bigint NOT NULL,
    entity    text COLLATE "C" NOT NULL,
    kind      text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, rid, entity)
);

CREATE INDEX mentions_by_entity ON mentions (tenant_id, entity, rid);

CREATE TABLE aliases (
    tenant_id bigint NOT NULL,
    alias     text COLLATE "C" NOT NULL,
    entity    text COLLATE "C" NOT NULL,
    seq       bigint NOT NULL,
    doc       bigint NOT NULL,
    alias_mark  bigint GENERATED ALWAYS AS (hashtextextended(alias, 0)) STORED,
    entity_mark bigint GENERATED ALWAYS AS (hashtextextended(entity, 0)) STORED,
    PRIMARY KEY (tenant_id, alias_mark, seq)
);

CREATE INDEX aliases_by_entity ON aliases (tenant_id, entity_mark);
CREATE INDEX aliases_by_doc ON aliases (tenant_id, doc);

CREATE TABLE notes (
    tenant_id bigint NOT NULL,
    doc       bigint NOT NULL,
    topic     text COLLATE "C" NOT NULL,
    key       text COLLATE "C" NOT NULL,
    seq       bigint NOT NULL,
    at        bigint NOT NULL,
    actor     text COLLATE "C" NOT NULL,
    body      bytea,
    key_mark  bigint GENERATED ALWAYS AS (hashtextextended(key, 0)) STORED,
    PRIMARY KEY (tenant_id, doc)
);

CREATE INDEX notes_by_key ON notes (tenant_id, topic, key_mark, doc);
CREATE INDEX notes_by_seq ON notes (tenant_id, seq);

-- The word index: which revisions hold a term, and where in their text. `nth` of a term's last row is the number of
-- rows it has; `size` is the number of terms of the whole text; `spots` are places of four bytes each.
CREATE TABLE postings (
    tenant_id bigint NOT NULL,
    rid       bigint NOT NULL,
    nth       bigint NOT NULL,
    size      integer NOT NULL,
    term      text COLLATE "C" NOT NULL,
    spots     bytea NOT NULL,
    PRIMARY KEY (tenant_id, term, rid)
);

-- How far the vectors of a tenant reach, and who makes them until when.
CREATE TABLE reaches (
    tenant_id  bigint PRIMARY KEY,
    model      text COLLATE "C",
    dimensions integer NOT NULL DEFAULT 0,
    upto       bigint NOT NULL DEFAULT 0,
    indexed    integer NOT NULL DEFAULT 0,
    hash       bytea NOT NULL DEFAULT '',
    maker      text COLLATE "C",
    until      timestamptz
);

CREATE TABLE vectors (
    tenant_id bigint NOT NULL,
    rid       bigint NOT NULL,
    start     integer NOT NULL,
    stop      integer NOT NULL,
    vector    halfvec NOT NULL,
    PRIMARY KEY (tenant_id, rid, start)
) PARTITION BY LIST (tenant_id);

CREATE TABLE vectors_shared PARTITION OF vectors DEFAULT;
