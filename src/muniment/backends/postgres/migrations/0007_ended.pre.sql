-- Revision 7. What has ended, by when it did: whoever was told it is told so.

CREATE INDEX cards_ended ON cards (tenant_id, since)
    WHERE status IN ('retracted', 'deprecated', 'superseded') OR support IN ('fallen', 'deprecated');
CREATE INDEX tombstones_by_seq ON tombstones (tenant_id, seq);
