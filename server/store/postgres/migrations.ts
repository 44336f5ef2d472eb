/** One entry per schema version. Never edit an entry, only append. Times are milliseconds since 1970. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);

  CREATE TABLE orgs (id TEXT PRIMARY KEY, name TEXT NOT NULL);

  CREATE TABLE keys (
    key TEXT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs(id),
    can_write INTEGER NOT NULL,
    revoked INTEGER NOT NULL,
    created_at BIGINT NOT NULL
  );

  CREATE TABLE sites (
    org_id TEXT NOT NULL REFERENCES orgs(id),
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, name)
  );

  CREATE TABLE sessions (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    org_id TEXT NOT NULL REFERENCES orgs(id),
    site TEXT NOT NULL,
    device TEXT,
    filename TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    part_size BIGINT NOT NULL,
    notes TEXT,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    processing_due_at BIGINT,
    processed_at BIGINT,
    recorded_at BIGINT,
    duration_s DOUBLE PRECISION,
    channels TEXT NOT NULL DEFAULT '[]',
    segment_count BIGINT NOT NULL DEFAULT 0,
    issues TEXT NOT NULL DEFAULT '[]'
  );
  CREATE INDEX sessions_by_org ON sessions (org_id, seq);
  CREATE INDEX sessions_by_site ON sessions (org_id, site, seq);
  CREATE INDEX sessions_by_status ON sessions (org_id, status, seq);
  CREATE INDEX sessions_to_process ON sessions (processing_due_at, seq) WHERE status = 'processing';

  CREATE TABLE parts (
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    file TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    etag TEXT NOT NULL,
    PRIMARY KEY (session_id, number)
  );

  CREATE TABLE idempotency (
    org_id TEXT NOT NULL REFERENCES orgs(id),
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (org_id, key)
  );
  CREATE INDEX idempotency_by_age ON idempotency (created_at);

  CREATE TABLE webhook_endpoints (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs(id),
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    secret TEXT NOT NULL,
    created_at BIGINT NOT NULL
  );
  CREATE INDEX webhook_endpoints_by_org ON webhook_endpoints (org_id);

  CREATE TABLE deliveries (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints(id),
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    event_id TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    next_attempt_at BIGINT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX deliveries_by_due ON deliveries (next_attempt_at, id);
  CREATE INDEX deliveries_by_session ON deliveries (session_id);

  -- Not logged: after a crash of the database, every key starts a new window.
  CREATE UNLOGGED TABLE rate_windows (
    bucket TEXT PRIMARY KEY,
    started_at BIGINT NOT NULL,
    used BIGINT NOT NULL
  );
  `,
  // Null: no limit.
  `
  ALTER TABLE orgs ADD COLUMN max_bytes BIGINT;
  ALTER TABLE orgs ADD COLUMN max_sessions BIGINT;
  `,
  // Usage counters, because adding up a million sessions for each new session is slow.
  `
  ALTER TABLE orgs ADD COLUMN used_bytes BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE orgs ADD COLUMN used_sessions BIGINT NOT NULL DEFAULT 0;
  -- An instance of the earlier version may still be creating sessions. Wait for it, so that none is missed.
  LOCK TABLE sessions IN SHARE ROW EXCLUSIVE MODE;
  UPDATE orgs SET
    used_bytes = (SELECT coalesce(sum(bytes), 0) FROM sessions WHERE org_id = orgs.id),
    used_sessions = (SELECT count(*) FROM sessions WHERE org_id = orgs.id);
  CREATE FUNCTION count_session() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      UPDATE orgs SET used_bytes = used_bytes + NEW.bytes, used_sessions = used_sessions + 1 WHERE id = NEW.org_id;
    ELSE
      UPDATE orgs SET used_bytes = used_bytes - OLD.bytes, used_sessions = used_sessions - 1 WHERE id = OLD.org_id;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER count_session AFTER INSERT OR DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION count_session();
  `,
  // The hash of the first parts, so that completion reads only the remaining parts.
  `
  CREATE TABLE prefix_hashes (
    session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
    parts INTEGER NOT NULL,
    files TEXT NOT NULL,
    state TEXT NOT NULL
  );
  `,
  // Who changed what. The rows have no foreign keys: they outlive the objects that they name.
  `
  CREATE TABLE audit (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at BIGINT NOT NULL,
    org_id TEXT,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    request_id TEXT
  );
  CREATE INDEX audit_by_org ON audit (org_id, seq);
  CREATE INDEX audit_by_time ON audit (at);
  `,
  // An index for lists of a few days among a million sessions. PostgreSQL decides by its statistics whether the index
  // helps.
  `
  CREATE INDEX sessions_by_time ON sessions (org_id, created_at);
  `,
  // One row for each station. Grouping a million sessions for each view of the page would be too slow.
  `
  CREATE TABLE stations (
    org_id TEXT NOT NULL REFERENCES orgs(id),
    site TEXT NOT NULL,
    device TEXT NOT NULL,
    sessions BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    last_session_at BIGINT NOT NULL,
    last_upload_at BIGINT,
    PRIMARY KEY (org_id, site, device)
  );
  CREATE INDEX stations_by_time ON stations (org_id, last_session_at);
  -- An instance of the earlier version may still be creating sessions. Wait for it, so that none is missed.
  LOCK TABLE sessions IN SHARE ROW EXCLUSIVE MODE;
  ALTER TABLE sessions ADD COLUMN uploaded_at BIGINT;
  UPDATE sessions SET uploaded_at = coalesce(processing_due_at, created_at) WHERE status <> 'uploading';
  INSERT INTO stations
    SELECT org_id, site, coalesce(device, ''), count(*), sum(bytes), max(created_at), max(uploaded_at)
    FROM sessions GROUP BY org_id, site, coalesce(device, '');
  CREATE FUNCTION count_station() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO stations AS s (org_id, site, device, sessions, bytes, last_session_at)
      VALUES (NEW.org_id, NEW.site, coalesce(NEW.device, ''), 1, NEW.bytes, NEW.created_at)
      ON CONFLICT (org_id, site, device) DO UPDATE SET sessions = s.sessions + 1, bytes = s.bytes + excluded.bytes,
        last_session_at = greatest(s.last_session_at, excluded.last_session_at);
    ELSIF TG_OP = 'UPDATE' THEN
      UPDATE stations
      SET last_upload_at = greatest(coalesce(last_upload_at, 0), coalesce(NEW.uploaded_at, NEW.processing_due_at))
      WHERE org_id = NEW.org_id AND site = NEW.site AND device = coalesce(NEW.device, '');
    ELSE
      UPDATE stations SET sessions = sessions - 1, bytes = bytes - OLD.bytes
      WHERE org_id = OLD.org_id AND site = OLD.site AND device = coalesce(OLD.device, '');
      DELETE FROM stations
      WHERE org_id = OLD.org_id AND site = OLD.site AND device = coalesce(OLD.device, '') AND sessions = 0;
    END IF;
    RETURN NULL;
  END $$;
  -- PostgreSQL runs triggers in the alphabetical order of their names: count_session locks the row of the organisation,
  -- then count_station locks the row of the station.
  CREATE TRIGGER count_station AFTER INSERT OR DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION count_station();
  CREATE TRIGGER count_station_upload AFTER UPDATE OF status ON sessions FOR EACH ROW
  WHEN (OLD.status = 'uploading' AND NEW.status <> 'uploading') EXECUTE FUNCTION count_station();
  `,
  // Counts the inspections that have begun, so that the server does not crash for ever on the same recording.
  `
  ALTER TABLE sessions ADD COLUMN inspection_attempts INTEGER NOT NULL DEFAULT 0;
  `,
  // The clock may go back, so a later session of an organisation (larger `seq`) may have an earlier `created_at`. Lists
  // of a range of times need the largest such difference.
  `
  ALTER TABLE orgs ADD COLUMN newest_created_at BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE orgs ADD COLUMN max_created_lag_ms BIGINT NOT NULL DEFAULT 0;
  -- An instance of the earlier version may still be creating sessions. Wait for it, so that none is missed.
  LOCK TABLE sessions IN SHARE ROW EXCLUSIVE MODE;
  UPDATE orgs SET newest_created_at = times.newest, max_created_lag_ms = times.lag
  FROM (
    SELECT org_id, max(created_at) AS newest, max(newest - created_at) AS lag FROM (
      SELECT org_id, created_at,
        max(created_at) OVER (PARTITION BY org_id ORDER BY seq ROWS UNBOUNDED PRECEDING) AS newest
      FROM sessions
    ) AS each GROUP BY org_id
  ) AS times WHERE times.org_id = orgs.id;
  CREATE OR REPLACE FUNCTION count_session() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      UPDATE orgs SET used_bytes = used_bytes + NEW.bytes, used_sessions = used_sessions + 1,
        newest_created_at = greatest(newest_created_at, NEW.created_at),
        max_created_lag_ms = greatest(max_created_lag_ms, newest_created_at - NEW.created_at)
      WHERE id = NEW.org_id;
    ELSE
      UPDATE orgs SET used_bytes = used_bytes - OLD.bytes, used_sessions = used_sessions - 1 WHERE id = OLD.org_id;
    END IF;
    RETURN NULL;
  END $$;
  `,
  // The new values of a change, as JSON.
  `
  ALTER TABLE audit ADD COLUMN details TEXT;
  `,
  // The deletion of an endpoint now also deletes a delivery that a different transaction has just added. The index
  // finds the first deliveries of each endpoint without reading the others.
  `
  ALTER TABLE deliveries
    DROP CONSTRAINT deliveries_endpoint_id_fkey,
    ADD CONSTRAINT deliveries_endpoint_id_fkey
      FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE;
  CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_id, next_attempt_at, id);
  `,
]
