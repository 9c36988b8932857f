-- Threads in the order in which they fell quiet: what learns from them asks for those alone.
-- The latest item of a thread moved the end of its time on to so many days after itself.

CREATE INDEX thread_quiet ON thread (tenant, store, (expires_at - ttl_days * 86400000000), no);
