-- Long lists are read by pages, in the order of recording.

CREATE INDEX statement_recorded ON statement (tenant, recorded_from, id);
