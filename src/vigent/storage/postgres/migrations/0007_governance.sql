-- The digest of an entry's content stands beside the entry, so that the entry can be verified after
-- its content was emptied. And what model calls come to.

ALTER TABLE audit ADD COLUMN said bytea;

CREATE TABLE usage (
    tenant        text COLLATE "C" NOT NULL,
    day           bigint NOT NULL,
    store         text COLLATE "C" NOT NULL,
    model         text COLLATE "C" NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    calls         bigint NOT NULL,
    failed        bigint NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    PRIMARY KEY (tenant, day, store, model, kind)
);

ALTER TABLE usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON usage
    USING (tenant = current_setting('app.tenant', true));
