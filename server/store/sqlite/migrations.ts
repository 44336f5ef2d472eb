/** One entry per schema version. `user_version` counts the applied entries. Never edit an entry, only append one. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

  CREATE TABLE orgs (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT;

  CREATE TABLE keys (
    key TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs(id),
    can_write INTEGER NOT NULL,
    revoked INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE sites (
    org_id TEXT NOT NULL REFERENCES orgs(id),
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (org_id, name)
  ) STRICT;

  -- seq orders the list. A value is never reused, so a cursor stays valid when sessions are added or deleted.
  CREATE TABLE sessions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    org_id TEXT NOT NULL REFERENCES orgs(id),
    site TEXT NOT NULL,
    device TEXT,
    filename TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    part_size INTEGER NOT NULL,
    notes TEXT,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    processing_due_at INTEGER,
    processed_at INTEGER,
    recorded_at INTEGER,
    duration_s REAL,
    channels TEXT NOT NULL DEFAULT '[]',
    segment_count INTEGER NOT NULL DEFAULT 0,
    issues TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX sessions_by_org ON sessions (org_id, seq);
  CREATE INDEX sessions_by_site ON sessions (org_id, site, seq);
  CREATE INDEX sessions_by_status ON sessions (status, org_id, seq);

  -- A part gets a row only after all its bytes are synced to disk. The column "file" contains the name of its file.
  CREATE TABLE parts (
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    file TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    etag TEXT NOT NULL,
    PRIMARY KEY (session_id, number)
  ) STRICT, WITHOUT ROWID;

  -- Written in the transaction that did the work, so an answer exists exactly when its effect does.
  CREATE TABLE idempotency (
    org_id TEXT NOT NULL REFERENCES orgs(id),
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (org_id, key)
  ) STRICT;
  CREATE INDEX idempotency_by_age ON idempotency (created_at);

  CREATE TABLE webhook_endpoints (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs(id),
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    secret TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints(id),
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    event_id TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX deliveries_by_due ON deliveries (next_attempt_at);
  `,
  // The server stores only the hash of a key. `open.ts` defines the function `sha256_hex`.
  `
  ALTER TABLE keys ADD COLUMN id TEXT NOT NULL DEFAULT '';
  ALTER TABLE keys ADD COLUMN name TEXT NOT NULL DEFAULT '';
  ALTER TABLE keys ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
  UPDATE keys SET key = sha256_hex(key);
  UPDATE keys SET id = 'key_' || substr(key, 1, 20);
  `,
  // Null: no limit.
  `
  ALTER TABLE orgs ADD COLUMN max_bytes INTEGER;
  ALTER TABLE orgs ADD COLUMN max_sessions INTEGER;
  `,
  // Usage counters, because adding up a million sessions for each new session would block all other requests.
  `
  ALTER TABLE orgs ADD COLUMN used_bytes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE orgs ADD COLUMN used_sessions INTEGER NOT NULL DEFAULT 0;
  UPDATE orgs SET
    used_bytes = (SELECT coalesce(sum(bytes), 0) FROM sessions WHERE org_id = orgs.id),
    used_sessions = (SELECT count(*) FROM sessions WHERE org_id = orgs.id);
  CREATE TRIGGER count_new_session AFTER INSERT ON sessions BEGIN
    UPDATE orgs SET used_bytes = used_bytes + NEW.bytes, used_sessions = used_sessions + 1 WHERE id = NEW.org_id;
  END;
  CREATE TRIGGER count_deleted_session AFTER DELETE ON sessions BEGIN
    UPDATE orgs SET used_bytes = used_bytes - OLD.bytes, used_sessions = used_sessions - 1 WHERE id = OLD.org_id;
  END;
  `,
  // The hash of the first parts, so that completion reads only the remaining parts.
  `
  CREATE TABLE prefix_hashes (
    session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
    parts INTEGER NOT NULL,
    files TEXT NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  `,
  // Who changed what. The rows have no foreign keys: they outlive the objects that they name.
  `
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    org_id TEXT,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    request_id TEXT
  ) STRICT;
  CREATE INDEX audit_by_org ON audit (org_id, seq);
  CREATE INDEX audit_by_time ON audit (at);
  `,
  // One row for each station, because grouping a million sessions for each list of stations would block all other
  // requests.
  `
  CREATE TABLE stations (
    org_id TEXT NOT NULL REFERENCES orgs(id),
    site TEXT NOT NULL,
    device TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    last_session_at INTEGER NOT NULL,
    last_upload_at INTEGER,
    PRIMARY KEY (org_id, site, device)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX stations_by_time ON stations (org_id, last_session_at);
  ALTER TABLE sessions ADD COLUMN uploaded_at INTEGER;
  UPDATE sessions SET uploaded_at = coalesce(processing_due_at, created_at) WHERE status <> 'uploading';
  INSERT INTO stations
    SELECT org_id, site, coalesce(device, ''), count(*), sum(bytes), max(created_at), max(uploaded_at)
    FROM sessions GROUP BY org_id, site, coalesce(device, '');
  CREATE TRIGGER station_new_session AFTER INSERT ON sessions BEGIN
    INSERT INTO stations (org_id, site, device, sessions, bytes, last_session_at)
    VALUES (NEW.org_id, NEW.site, coalesce(NEW.device, ''), 1, NEW.bytes, NEW.created_at)
    ON CONFLICT (org_id, site, device) DO UPDATE SET sessions = sessions + 1, bytes = bytes + excluded.bytes,
      last_session_at = max(last_session_at, excluded.last_session_at);
  END;
  CREATE TRIGGER station_complete_session AFTER UPDATE OF status ON sessions
  WHEN OLD.status = 'uploading' AND NEW.status <> 'uploading' BEGIN
    UPDATE stations
    SET last_upload_at = max(coalesce(last_upload_at, 0), NEW.uploaded_at)
    WHERE org_id = NEW.org_id AND site = NEW.site AND device = coalesce(NEW.device, '');
  END;
  CREATE TRIGGER station_deleted_session AFTER DELETE ON sessions BEGIN
    UPDATE stations SET sessions = sessions - 1, bytes = bytes - OLD.bytes
    WHERE org_id = OLD.org_id AND site = OLD.site AND device = coalesce(OLD.device, '');
    DELETE FROM stations
    WHERE org_id = OLD.org_id AND site = OLD.site AND device = coalesce(OLD.device, '') AND sessions = 0;
  END;
  `,
  // Counts the inspections that have begun, so that the server does not crash for ever on the same recording.
  `
  ALTER TABLE sessions ADD COLUMN inspection_attempts INTEGER NOT NULL DEFAULT 0;
  `,
  // The clock may go back, so a later session of an organisation (larger `seq`) may have an earlier `created_at`.
  // `max_created_lag_ms` is the largest difference. Queries for a time range use it to limit `seq`.
  `
  ALTER TABLE orgs ADD COLUMN newest_created_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE orgs ADD COLUMN max_created_lag_ms INTEGER NOT NULL DEFAULT 0;
  UPDATE orgs SET newest_created_at = times.newest, max_created_lag_ms = times.lag
  FROM (
    SELECT org_id, max(created_at) AS newest, max(newest - created_at) AS lag FROM (
      SELECT org_id, created_at,
        max(created_at) OVER (PARTITION BY org_id ORDER BY seq ROWS UNBOUNDED PRECEDING) AS newest
      FROM sessions
    ) GROUP BY org_id
  ) AS times WHERE times.org_id = orgs.id;
  DROP TRIGGER count_new_session;
  CREATE TRIGGER count_new_session AFTER INSERT ON sessions BEGIN
    UPDATE orgs SET used_bytes = used_bytes + NEW.bytes, used_sessions = used_sessions + 1,
      newest_created_at = max(newest_created_at, NEW.created_at),
      max_created_lag_ms = max(max_created_lag_ms, newest_created_at - NEW.created_at)
    WHERE id = NEW.org_id;
  END;
  CREATE INDEX sessions_by_time ON sessions (org_id, created_at);
  CREATE INDEX sessions_by_site_and_status ON sessions (org_id, site, status, seq);
  -- How many sessions each index finds. Without these numbers, SQLite reads all sessions of a range to find those of a
  -- site. The numbers are fixed, so that every database has the same plans.
  ANALYZE sqlite_schema;
  INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('sessions', 'sessions_by_org', '1000000 100000 1'),
    ('sessions', 'sessions_by_time', '1000000 100000 1'),
    ('sessions', 'sessions_by_site', '1000000 100000 2000 1'),
    ('sessions', 'sessions_by_status', '1000000 200000 20000 1'),
    ('sessions', 'sessions_by_site_and_status', '1000000 100000 2000 400 1');
  ANALYZE sqlite_schema;
  `,
  // The new values of a change, as JSON.
  `
  ALTER TABLE audit ADD COLUMN details TEXT;
  `,
  // The deletion of an endpoint now deletes its deliveries. SQLite cannot change a foreign key, so this migration
  // creates the table again. `deliveries_by_endpoint` finds the first deliveries of an endpoint.
  `
  CREATE TABLE new_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    event_id TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO new_deliveries
    SELECT id, endpoint_id, session_id, event_id, body, created_at, next_attempt_at, attempts FROM deliveries;
  DROP TABLE deliveries;
  ALTER TABLE new_deliveries RENAME TO deliveries;
  CREATE INDEX deliveries_by_due ON deliveries (next_attempt_at);
  CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_id, next_attempt_at, id);
  CREATE INDEX deliveries_by_session ON deliveries (session_id);
  `,
]
