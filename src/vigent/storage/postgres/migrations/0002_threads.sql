-- Threads: episodes in order, and a small state beside them.

CREATE TABLE thread (
    no            bigint NOT NULL,
    tenant        text COLLATE "C" NOT NULL,
    store         text COLLATE "C" NOT NULL,
    person        text COLLATE "C" NOT NULL,
    id            text COLLATE "C" NOT NULL,
    agent         text COLLATE "C",
    metadata      text COLLATE "C" NOT NULL,
    created_at    bigint NOT NULL,
    ttl_days      bigint NOT NULL,
    last_position bigint NOT NULL,
    expires_at    bigint NOT NULL,
    PRIMARY KEY (tenant, no)
);
CREATE UNIQUE INDEX thread_identity ON thread (tenant, store, person, id);
CREATE INDEX thread_person ON thread (tenant, person);
CREATE INDEX thread_expiry ON thread (tenant, expires_at);

-- Where an episode stands. Positions of a thread only rise; erasing leaves gaps in them.
CREATE TABLE thread_item (
    tenant   text COLLATE "C" NOT NULL,
    thread   bigint NOT NULL,
    position bigint NOT NULL,
    episode  bigint NOT NULL,
    agent    text COLLATE "C",
    sealed   bigint NOT NULL,
    PRIMARY KEY (tenant, thread, position)
);
CREATE UNIQUE INDEX thread_item_episode ON thread_item (tenant, episode);

CREATE TABLE thread_state (
    thread   bigint NOT NULL,
    tenant   text COLLATE "C" NOT NULL,
    version  bigint NOT NULL,
    document text COLLATE "C" NOT NULL,
    at       bigint NOT NULL,
    PRIMARY KEY (tenant, thread)
);

ALTER TABLE thread ENABLE ROW LEVEL SECURITY;
ALTER TABLE thread FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON thread
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE thread_item ENABLE ROW LEVEL SECURITY;
ALTER TABLE thread_item FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON thread_item
    USING (tenant = current_setting('app.tenant', true));
ALTER TABLE thread_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE thread_state FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON thread_state
    USING (tenant = current_setting('app.tenant', true));
