-- Revision 4. What agents have agreed on beside what they know: every note ever made, the latest of a key standing.

CREATE TABLE notes (
    topic TEXT NOT NULL,
    key   TEXT NOT NULL,
    seq   INTEGER NOT NULL,
    doc   INTEGER NOT NULL PRIMARY KEY,
    at    INTEGER NOT NULL,
    actor TEXT NOT NULL,
    body  TEXT
) STRICT;

CREATE INDEX notes_by_key ON notes (topic, key, doc);
CREATE INDEX notes_by_seq ON notes (seq);
