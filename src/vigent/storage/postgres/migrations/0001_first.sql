-- The first schema. Instants are microseconds since 1970 in UTC; 9223372036854775807 is "open".
-- An empty person is what a tenant shares; tenant comes first in every key. Text compares by code
-- point, as on every engine.

-- Row numbers of all tables that are given one by the adapter: a transaction takes a block of them.
CREATE SEQUENCE number INCREMENT BY 1048576 MINVALUE 1048576 START WITH 1048576;

CREATE TABLE tenant (
    tenant     text COLLATE "C" NOT NULL,
    salt       bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant)
);

-- The tenants that there are, by their names alone, for what goes through all of them; and when
-- each wrote last, as far as its audit trail is sealed.
CREATE TABLE tenant_name (
    tenant   text COLLATE "C" NOT NULL,
    wrote_at bigint NOT NULL,
    PRIMARY KEY (tenant)
);
CREATE INDEX tenant_name_wrote ON tenant_name (wrote_at);

-- Everything that shares one recorded clock and one lock: an attribute of a subject, or the free
-- texts of one type. The head columns are derived: what is in force between head_from and
-- head_to, packed, so that "what is true now" is one read. `vigent check` compares them.
CREATE TABLE key (
    no            bigint NOT NULL,
    tenant        text COLLATE "C" NOT NULL,
    store         text COLLATE "C" NOT NULL,
    person        text COLLATE "C" NOT NULL,
    subject       text COLLATE "C" NOT NULL,
    attribute     text COLLATE "C" NOT NULL,
    type          text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    last_recorded bigint NOT NULL,
    head_from     bigint NOT NULL,
    head_to       bigint NOT NULL,
    head_recorded bigint NOT NULL,
    head_expires  bigint NOT NULL,
    head_replaced text COLLATE "C",
    head_replacer text COLLATE "C",
    head          text COLLATE "C",
    PRIMARY KEY (tenant, no)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX key_identity ON key (tenant, store, person, subject, attribute, type);
CREATE INDEX key_person ON key (tenant, person);
CREATE INDEX key_about ON key (tenant, subject, person, store, attribute, type);

CREATE TABLE statement (
    no              bigint NOT NULL,
    tenant          text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    key             bigint NOT NULL,
    member          bytea NOT NULL,
    role            text COLLATE "C" NOT NULL
        CHECK (role IN ('asserted', 'evidence', 'held', 'note')),
    kind            text COLLATE "C" NOT NULL CHECK (kind IN ('value', 'none', 'end', 'others')),
    token           bytea NOT NULL,
    valid_from      bigint NOT NULL,
    valid_to        bigint NOT NULL,
    stated_end      bigint NOT NULL,
    basis           text COLLATE "C" NOT NULL,
    recorded_from   bigint NOT NULL,
    withdrawn_at    bigint NOT NULL,
    forgotten_at    bigint NOT NULL,
    gap             bigint NOT NULL,
    place           bigint NOT NULL,
    turn            bigint NOT NULL,
    bears           bigint NOT NULL,
    bears_from      bigint NOT NULL,
    clean           bigint NOT NULL,
    indexed         bigint NOT NULL,
    keep            text COLLATE "C" NOT NULL,
    type            text COLLATE "C" NOT NULL,
    value_kind      text COLLATE "C",
    value           text COLLATE "C",
    text            text COLLATE "C",
    replaces        text COLLATE "C",
    status          text COLLATE "C" NOT NULL,
    contested       bigint NOT NULL,
    source_episode  text COLLATE "C",
    source          text COLLATE "C",
    quote           text COLLATE "C",
    speaker         text COLLATE "C",
    trust           text COLLATE "C" NOT NULL,
    writer          text COLLATE "C",
    confidence      double precision,
    importance      bigint NOT NULL,
    metadata        text COLLATE "C" NOT NULL,
    retention       text COLLATE "C",
    expires_at      bigint NOT NULL,
    created_at      bigint NOT NULL,
    last_changed_at bigint NOT NULL,
    confirmed_at    bigint,
    evidence_count  bigint NOT NULL,
    retrieved_count bigint NOT NULL,
    schema_version  bigint NOT NULL,
    fields          text COLLATE "C" NOT NULL,
    flagged         bigint NOT NULL,
    fingerprint     bytea,
    outcome         text COLLATE "C" NOT NULL,
    ended           text COLLATE "C" NOT NULL,
    reason          text COLLATE "C",
    PRIMARY KEY (tenant, no),
    CHECK (valid_from < valid_to)
);
CREATE UNIQUE INDEX statement_id ON statement (tenant, id);
-- Not partial: checks and erasures find all statements of a key by it.
CREATE INDEX statement_order
    ON statement (tenant, key, member, role, withdrawn_at, valid_from, place, turn, no);
CREATE INDEX statement_clean ON statement (tenant, key, member, valid_from, place, turn, no)
    WHERE clean = 1;
CREATE INDEX statement_fingerprint ON statement (tenant, fingerprint)
    WHERE fingerprint IS NOT NULL;
CREATE INDEX statement_replaces ON statement (tenant, replaces) WHERE replaces IS NOT NULL;
CREATE INDEX statement_held ON statement (tenant, key) WHERE role = 'held';
CREATE INDEX statement_evidence ON statement (tenant, bears) WHERE role = 'evidence';
CREATE INDEX statement_others ON statement (tenant, key) WHERE kind = 'others';
CREATE INDEX statement_episode ON statement (tenant, source_episode)
    WHERE source_episode IS NOT NULL;
CREATE INDEX statement_expiry ON statement (tenant, expires_at)
    WHERE expires_at < 9223372036854775807 AND forgotten_at = 9223372036854775807;

-- Open stretches of one timeline never overlap: where btree_gist is, an exclusion constraint says
-- so, which is made when the store is opened. The unique index stands in either case.
CREATE TABLE belief (
    no            bigint NOT NULL,
    tenant        text COLLATE "C" NOT NULL,
    key           bigint NOT NULL,
    member        bytea NOT NULL,
    memory        bigint NOT NULL,
    valid_from    bigint NOT NULL,
    valid_to      bigint NOT NULL,
    recorded_from bigint NOT NULL,
    recorded_to   bigint,
    PRIMARY KEY (tenant, no),
    CHECK (valid_from < valid_to),
    CHECK (recorded_to IS NULL OR recorded_from < recorded_to)
);
CREATE UNIQUE INDEX belief_in_force ON belief (tenant, key, member, valid_from)
    WHERE recorded_to IS NULL;
CREATE INDEX belief_valid ON belief (tenant, key, member, valid_from, recorded_from);
CREATE INDEX belief_recorded ON belief (tenant, key, member, recorded_from);
CREATE INDEX belief_memory ON belief (tenant, memory, valid_from, recorded_from);

CREATE TABLE episode (
    no          bigint NOT NULL,
    tenant      text COLLATE "C" NOT NULL,
    id          text COLLATE "C" NOT NULL,
    store       text COLLATE "C" NOT NULL,
    person      text COLLATE "C" NOT NULL,
    role        text COLLATE "C" NOT NULL,
    kind        text COLLATE "C" NOT NULL,
    content     text COLLATE "C",
    occurred_at bigint NOT NULL,
    recorded_at bigint NOT NULL,
    speaker     text COLLATE "C",
    thread      text COLLATE "C",
    external_id text COLLATE "C",
    metadata    text COLLATE "C" NOT NULL,
    expires_at  bigint NOT NULL,
    flagged     bigint NOT NULL,
    stub        bigint NOT NULL,
    PRIMARY KEY (tenant, no)
);
CREATE UNIQUE INDEX episode_id ON episode (tenant, id);
CREATE UNIQUE INDEX episode_external ON episode (tenant, store, person, external_id)
    WHERE external_id IS NOT NULL;
CREATE INDEX episode_person ON episode (tenant, person, occurred_at, no);
CREATE INDEX episode_expiry ON episode (tenant, expires_at) WHERE stub = 0;

-- Each entry has a digest of its own, over the salted content that stands in audit_content and
-- can be emptied; a seal chains the digests of many entries.
CREATE TABLE audit (
    no      bigint NOT NULL,
    tenant  text COLLATE "C" NOT NULL,
    id      text COLLATE "C" NOT NULL,
    at      bigint NOT NULL,
    action  text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    target  text COLLATE "C",
    digest  bytea NOT NULL,
    seal    bigint,
    PRIMARY KEY (tenant, no)
);
CREATE UNIQUE INDEX audit_id ON audit (tenant, id);
CREATE INDEX audit_target ON audit (tenant, target) WHERE target IS NOT NULL;
CREATE INDEX audit_unsealed ON audit (tenant, no) WHERE seal IS NULL;
CREATE INDEX audit_seal ON audit (tenant, seal, id) WHERE seal IS NOT NULL;

CREATE TABLE audit_content (
    audit   bigint NOT NULL,
    tenant  text COLLATE "C" NOT NULL,
    store   text COLLATE "C" NOT NULL,
    person  text COLLATE "C" NOT NULL,
    key     bigint,
    salt    bytea NOT NULL,
    content text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, audit)
);
CREATE INDEX audit_content_person ON audit_content (tenant, person, audit);
CREATE INDEX audit_content_key ON audit_content (tenant, key) WHERE key IS NOT NULL;
CREATE INDEX audit_content_store ON audit_content (tenant, store);

-- Which tenants wrote since their audit trail was sealed last: a row a transaction, in no shard,
-- without content. The seal takes away what it has seen.
CREATE TABLE activity (
    no     bigint GENERATED ALWAYS AS IDENTITY,
    tenant text COLLATE "C" NOT NULL,
    at     bigint NOT NULL,
    PRIMARY KEY (no)
);
CREATE INDEX activity_tenant ON activity (tenant, no);

CREATE TABLE seal (
    tenant  text COLLATE "C" NOT NULL,
    n       bigint NOT NULL,
    entries bigint NOT NULL,
    at      bigint NOT NULL,
    hash    bytea NOT NULL,
    PRIMARY KEY (tenant, n)
);

CREATE TABLE idempotency (
    tenant   text COLLATE "C" NOT NULL,
    caller   text COLLATE "C" NOT NULL,
    endpoint text COLLATE "C" NOT NULL,
    name     text COLLATE "C" NOT NULL,
    person   text COLLATE "C" NOT NULL,
    request  bytea NOT NULL,
    answer   text COLLATE "C" NOT NULL,
    at       bigint NOT NULL,
    PRIMARY KEY (tenant, caller, endpoint, name)
);
CREATE INDEX idempotency_age ON idempotency (tenant, at);
CREATE INDEX idempotency_person ON idempotency (tenant, person);

-- In no shard: workers take what is ready, whosesoever it is.
CREATE TABLE job (
    no          bigint GENERATED ALWAYS AS IDENTITY,
    tenant      text COLLATE "C" NOT NULL,
    kind        text COLLATE "C" NOT NULL,
    lane        text COLLATE "C" NOT NULL,
    payload     text COLLATE "C" NOT NULL,
    state       text COLLATE "C" NOT NULL,
    run_at      bigint NOT NULL,
    attempts    bigint NOT NULL,
    lease_until bigint,
    reason      text COLLATE "C",
    person      text COLLATE "C" NOT NULL,
    PRIMARY KEY (no)
);
CREATE INDEX job_ready ON job (state, run_at, no);
CREATE INDEX job_kind ON job (kind, tenant, lane);
CREATE INDEX job_person ON job (tenant, person);

-- Who was erased, by keyed digests only, so that nothing from before brings them back.
CREATE TABLE erased (
    tenant text COLLATE "C" NOT NULL,
    person bytea NOT NULL,
    at     bigint NOT NULL,
    counts text COLLATE "C" NOT NULL,
    state  text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, person)
);

CREATE TABLE person (
    tenant  text COLLATE "C" NOT NULL,
    person  text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, person)
);

-- Whoever reads or writes sees the rows of one tenant: the one that the transaction names, and
-- none without. The owner is bound by it too. Work that goes through all tenants sees their names,
-- which of them wrote, and the queue, where the transaction says that it sweeps.
ALTER TABLE tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON tenant
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE tenant_name ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_name FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON tenant_name
    USING (tenant = current_setting('app.tenant', true)
           OR current_setting('app.sweep', true) = 'on');
ALTER TABLE activity ENABLE ROW LEVEL SECURITY;
ALTER TABLE activity FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON activity
    USING (tenant = current_setting('app.tenant', true)
           OR current_setting('app.sweep', true) = 'on');
ALTER TABLE job ENABLE ROW LEVEL SECURITY;
ALTER TABLE job FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON job
    USING (tenant = current_setting('app.tenant', true)
           OR current_setting('app.sweep', true) = 'on');
ALTER TABLE key ENABLE ROW LEVEL SECURITY;
ALTER TABLE key FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON key
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE statement ENABLE ROW LEVEL SECURITY;
ALTER TABLE statement FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON statement
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE belief ENABLE ROW LEVEL SECURITY;
ALTER TABLE belief FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON belief
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE episode ENABLE ROW LEVEL SECURITY;
ALTER TABLE episode FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON episode
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON audit
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE audit_content ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_content FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON audit_content
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE seal ENABLE ROW LEVEL SECURITY;
ALTER TABLE seal FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON seal
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE idempotency ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON idempotency
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE erased ENABLE ROW LEVEL SECURITY;
ALTER TABLE erased FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON erased
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE person ENABLE ROW LEVEL SECURITY;
ALTER TABLE person FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON person
    USING (tenant = current_setting('app.tenant', true));
