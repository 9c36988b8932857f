-- The search index: passages of memories and episodes with their terms, and vectors of passages.
-- Terms are kept a passage at a time, as hashes: word statistics are those of one scope, and
-- removing a passage removes its words.

-- A number is never given twice: models note up to which passage they have come. Numbers do not
-- come in the order in which transactions end: "tx" is the transaction that wrote the row, so that
-- a reader who knows which had ended can tell what is new to it.
CREATE TABLE passage (
    no     bigint GENERATED ALWAYS AS IDENTITY,
    tenant text COLLATE "C" NOT NULL,
    scope  text COLLATE "C" NOT NULL,
    kind   bigint NOT NULL,
    type   text COLLATE "C" NOT NULL,
    source bigint NOT NULL,
    home   bigint NOT NULL,
    start  bigint NOT NULL,
    stop   bigint NOT NULL,
    at     bigint NOT NULL,
    about  bytea NOT NULL,
    words  bytea NOT NULL,
    tx     xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (tenant, no)
);
CREATE INDEX passage_scope ON passage (tenant, scope, no);
CREATE INDEX passage_new ON passage (tenant, tx, no);
CREATE INDEX passage_source ON passage (tenant, source, kind);

-- Readers keep the passages of a scope in memory and fetch what is new; where something was
-- removed the number here is another, and they begin again.
CREATE TABLE index_change (
    tenant     text COLLATE "C" NOT NULL,
    scope      text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    PRIMARY KEY (tenant, scope)
);

-- Vectors of two models are never compared: each belongs to one. It has seen every passage up to
-- "done", but for those of transactions from "settled" on, which may have ended later; "upcoming"
-- is what that is to be next. Whoever makes its vectors has the lease, and "problem" says why none
-- are made. Models are nobody's: the table is in no shard, and bears nothing of a tenant.
CREATE TABLE embedder (
    no          bigint GENERATED ALWAYS AS IDENTITY,
    name        text COLLATE "C" NOT NULL,
    revision    text COLLATE "C" NOT NULL,
    dimension   bigint NOT NULL,
    done        bigint NOT NULL,
    lease_until bigint NOT NULL,
    problem     text COLLATE "C",
    settled     bigint NOT NULL,
    upcoming    bigint NOT NULL,
    PRIMARY KEY (no)
);
CREATE UNIQUE INDEX embedder_identity ON embedder (name, revision, dimension);

-- Vectors as they are kept on every engine: half precision, unit length, little-endian. Whoever
-- removes a passage while its vector is being written removes that too.
CREATE TABLE vector_row (
    no      bigint GENERATED ALWAYS AS IDENTITY,
    tenant  text COLLATE "C" NOT NULL,
    scope   text COLLATE "C" NOT NULL,
    model   bigint NOT NULL,
    passage bigint NOT NULL,
    data    bytea NOT NULL,
    PRIMARY KEY (tenant, no),
    FOREIGN KEY (tenant, passage) REFERENCES passage (tenant, no) ON DELETE CASCADE
);
CREATE UNIQUE INDEX vector_passage ON vector_row (tenant, passage, model);
CREATE INDEX vector_scope ON vector_row (tenant, scope, model, no);

-- Which tenants have passages from a number on, in no shard and without content: a row for each
-- transaction that made some, with the highest number that it gave, so that models need not look
-- through every tenant.
CREATE TABLE passage_made (
    no     bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    tx     xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (no)
);
CREATE INDEX passage_made_new ON passage_made (tx);
ALTER TABLE passage_made ENABLE ROW LEVEL SECURITY;
ALTER TABLE passage_made FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON passage_made
    USING (tenant = current_setting('app.tenant', true)
           OR current_setting('app.sweep', true) = 'on');
ALTER TABLE passage ENABLE ROW LEVEL SECURITY;
ALTER TABLE passage FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON passage
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE index_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE index_change FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON index_change
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE vector_row ENABLE ROW LEVEL SECURITY;
ALTER TABLE vector_row FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON vector_row
    USING (tenant = current_setting('app.tenant', true));
