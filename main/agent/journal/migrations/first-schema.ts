/** Entry 1: the tables of the first journal. */
export const firstSchema: readonly string[] = [
  `
  CREATE TABLE recordings (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    folder TEXT NOT NULL,
    site TEXT NOT NULL,
    device TEXT,
    notes TEXT,
    state TEXT NOT NULL,
    -- 1: the newest row of its path. A file that changes after its upload or returns after its removal gets a new row.
    current INTEGER NOT NULL DEFAULT 1,
    file_device TEXT NOT NULL,
    file_inode TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    mtime_ns TEXT NOT NULL,
    ctime_ns TEXT NOT NULL,
    found_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    sha256 TEXT,
    part_size INTEGER,
    parts_total INTEGER,
    parts_sent INTEGER NOT NULL DEFAULT 0,
    bytes_sent INTEGER NOT NULL DEFAULT 0,
    -- Sluice writes key and body before the POST, so that it can send them again after a crash (§8).
    create_key TEXT,
    create_key_at INTEGER,
    create_body TEXT,
    -- 1: a session may already exist, for example if the journal was rebuilt. So Sluice searches before it creates one.
    look_first INTEGER NOT NULL DEFAULT 0,
    complete_key TEXT,
    session_id TEXT,
    urls_expire_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER NOT NULL DEFAULT 0,
    mismatches INTEGER NOT NULL DEFAULT 0,
    problem TEXT,
    problem_code TEXT,
    urgent INTEGER NOT NULL DEFAULT 0,
    paused INTEGER NOT NULL DEFAULT 0,
    duplicate_of INTEGER REFERENCES recordings(id),
    session TEXT
  ) STRICT;
  CREATE UNIQUE INDEX recordings_one_current_per_path ON recordings(path) WHERE current = 1;
  CREATE INDEX recordings_by_state ON recordings(state, urgent DESC, found_at, id);
  CREATE INDEX recordings_by_folder ON recordings(folder, state, found_at);
  CREATE INDEX recordings_by_inode ON recordings(file_inode, file_device);
  CREATE INDEX recordings_by_content ON recordings(sha256) WHERE sha256 IS NOT NULL;
  CREATE INDEX recordings_by_session ON recordings(session_id) WHERE session_id IS NOT NULL;
  CREATE INDEX recordings_by_found ON recordings(found_at, id);
  CREATE INDEX recordings_by_changed ON recordings(changed_at, id);
  CREATE INDEX recordings_by_name ON recordings(name COLLATE NOCASE, id);
  CREATE INDEX recordings_by_bytes ON recordings(bytes, id);
  CREATE INDEX recordings_by_problem ON recordings(problem_code) WHERE problem_code IS NOT NULL;

  CREATE TABLE parts (
    recording_id INTEGER NOT NULL REFERENCES recordings(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    -- Sluice keeps the URL while the session is open. If a crash loses an ETag, Sluice sends the part to the URL again.
    url TEXT,
    etag TEXT,
    etag_guessed INTEGER NOT NULL DEFAULT 0,
    -- 1: the storage may have the part, but Sluice must send it again: its content has changed, or a checksum differs.
    resend INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (recording_id, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE timeline (
    id INTEGER PRIMARY KEY,
    recording_id INTEGER NOT NULL REFERENCES recordings(id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    from_state TEXT,
    to_state TEXT NOT NULL,
    reason TEXT NOT NULL,
    request_id TEXT
  ) STRICT;
  CREATE INDEX timeline_by_recording ON timeline(recording_id, id);
  CREATE INDEX timeline_by_time ON timeline(at, to_state);

  -- Sessions that Sluice gave up. It deletes them as soon as the service is reachable.
  CREATE TABLE discarded_sessions (
    session_id TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE folders (
    path TEXT PRIMARY KEY,
    file_device TEXT NOT NULL,
    file_inode TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE station (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE throughput (bucket INTEGER PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
  `,
]
