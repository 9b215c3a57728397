-- Revision 7. Words of every script are indexed, by a tokenizer of our own. Whoever applies this then takes all texts apart
-- anew, in the same transaction.

DROP TABLE lexicon_terms;
DROP TABLE lexicon;
CREATE VIRTUAL TABLE lexicon USING fts5 (
    text,
    content = 'passages',
    content_rowid = 'rid',
    tokenize = 'muniment'
);
INSERT INTO lexicon (lexicon, rank) VALUES ('secure-delete', 1);
INSERT INTO lexicon (lexicon, rank) VALUES ('automerge', 2);

CREATE VIRTUAL TABLE lexicon_terms USING fts5vocab (lexicon, row);
