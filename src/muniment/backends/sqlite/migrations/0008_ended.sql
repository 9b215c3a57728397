-- Revision 8. What has ended, by when it did: whoever was told it is told so.

CREATE INDEX cards_ended ON cards (since)
    WHERE status IN ('retracted', 'deprecated', 'superseded') OR support IN ('fallen', 'deprecated');
CREATE INDEX tombstones_by_seq ON tombstones (seq);
