-- Review queues and candidates are read by pages: what waits in the order of its recording, and what
-- was proposed of a person's words in the order of its ids.

CREATE INDEX statement_waiting ON statement (tenant, recorded_from, id)
    WHERE role = 'held' AND status IN ('pending_review', 'buffered');
CREATE INDEX resource_candidate ON resource (tenant, person, id) WHERE kind = 'candidate';

PRAGMA user_version = 10;
