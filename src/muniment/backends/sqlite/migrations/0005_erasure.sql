-- Revision 5. What an erasure leaves behind: that a revision was there, and the signed word that it is gone.

CREATE TABLE certificates (
    seq    INTEGER PRIMARY KEY,
    signed BLOB NOT NULL
) STRICT;

CREATE TABLE tombstones (
    rid      INTEGER PRIMARY KEY,
    id       TEXT NOT NULL,
    revision INTEGER NOT NULL,
    seq      INTEGER NOT NULL
) STRICT;

CREATE INDEX tombstones_by_id ON tombstones (id);
CREATE INDEX aliases_by_doc ON aliases (doc);
CREATE INDEX cards_by_actor ON cards (actor, rid);
CREATE INDEX told_by_actor ON told (actor);
