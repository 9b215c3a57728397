-- Revision 3. What recall needs beside words: when a thing happened, what stands next to it, what it speaks of by name.

ALTER TABLE cards ADD COLUMN event_time INTEGER;
UPDATE cards SET event_time = (
    SELECT body ->> '$.claim.times.event_time' FROM documents WHERE documents.doc = cards.rid
);

-- What changed after a position: what is kept beside the store catches up by it.
CREATE INDEX cards_by_since ON cards (since);
CREATE INDEX cards_by_session ON cards (session_id, rid) WHERE session_id IS NOT NULL;

CREATE TABLE mentions (
    rid    INTEGER NOT NULL,
    entity TEXT NOT NULL,
    kind   TEXT NOT NULL,
    PRIMARY KEY (rid, entity)
) STRICT, WITHOUT ROWID;

CREATE INDEX mentions_by_entity ON mentions (entity, rid);

CREATE TABLE aliases (
    alias  TEXT NOT NULL,
    entity TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    doc    INTEGER NOT NULL,
    PRIMARY KEY (alias, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX aliases_by_entity ON aliases (entity);
