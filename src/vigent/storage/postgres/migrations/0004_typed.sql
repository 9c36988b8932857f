-- Which keys have ever borne a commitment (1) or a behaviour (2), typed or in free text: what is
-- injected whatever a question is about is found by it among any number of memories.

ALTER TABLE key ADD COLUMN bears bigint NOT NULL DEFAULT 0;
CREATE INDEX key_bears ON key (tenant, store, person) WHERE bears <> 0;
