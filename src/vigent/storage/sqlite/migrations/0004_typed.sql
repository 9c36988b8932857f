-- Which keys have ever borne a commitment (1) or a behaviour (2), typed or in free text: what is
-- injected whatever a question is about is found by it among any number of memories.

ALTER TABLE key ADD COLUMN bears INTEGER NOT NULL DEFAULT 0;
CREATE INDEX key_bears ON key (tenant, store, person) WHERE bears <> 0;

UPDATE key SET bears = 1 WHERE no IN (SELECT key FROM statement WHERE type = 'commitment');
UPDATE key SET bears = bears + 2 WHERE no IN (SELECT key FROM statement WHERE type = 'behaviour');

CREATE TRIGGER key_bears_commitment AFTER INSERT ON statement WHEN NEW.type = 'commitment'
BEGIN
    UPDATE key SET bears = bears | 1 WHERE no = NEW.key AND bears & 1 = 0;
END;
CREATE TRIGGER key_bears_behaviour AFTER INSERT ON statement WHEN NEW.type = 'behaviour'
BEGIN
    UPDATE key SET bears = bears | 2 WHERE no = NEW.key AND bears & 2 = 0;
END;

PRAGMA user_version = 4;
