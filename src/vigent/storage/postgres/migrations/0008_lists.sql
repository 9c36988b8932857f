-- Long lists are read by pages, in the order of recording.

CREATE INDEX statement_recorded ON statement (tenant, recorded_from, id);

-- Plans are made for any tenant. Most are small, and one may have nearly all rows: what is quick for
-- those, to walk a tenant and pick, would be hopeless for that one. So the planner is told that rows
-- are not told apart by their tenant.
ALTER TABLE key ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE statement ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE belief ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE episode ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE audit ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE audit_content ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE seal ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE idempotency ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE erased ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE person ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE thread ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE thread_item ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE thread_state ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE passage ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE index_change ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE vector_row ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE alias ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE resource ALTER COLUMN tenant SET (n_distinct = 1);
ALTER TABLE usage ALTER COLUMN tenant SET (n_distinct = 1);
