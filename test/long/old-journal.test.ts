import { readdirSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const random = seeded(11)
const fileOf = (name: string) => path.join(station.recordings, name)
const inData = (name: string) => path.join(station.data, name)
const quarantined = () => readdirSync(station.data).filter((name) => name.startsWith('damaged-'))

const record = (name: string) => writeRandomFile(fileOf(name), 1000, random)

test('the agent migrates an old journal and keeps its content', async () => {
  station = await Station.open()
  await record('take.bin')
  expect(await station.runToIdle()).toBe(0)
  const db = new Database(inData('journal.db'))
  db.exec(`
    DROP INDEX recordings_by_take; DROP INDEX recordings_processed_in_take; DROP INDEX recordings_unsafe_in_take; ALTER TABLE recordings DROP COLUMN take;
    ALTER TABLE recordings RENAME COLUMN prioritised TO urgent; ALTER TABLE recordings DROP COLUMN adopted;
    ALTER TABLE recordings DROP COLUMN create_key_service_at;
    ALTER TABLE recordings DROP COLUMN test_key; DROP TABLE session_deletions; DROP TRIGGER early_inspection_outdated; DROP TRIGGER inspection_due; DROP TABLE inspections;
    ALTER TABLE recordings DROP COLUMN born_ns; DROP TABLE folder_states; DROP TABLE made_copies;
    ALTER TABLE discarded_sessions DROP COLUMN sha256; ALTER TABLE discarded_sessions DROP COLUMN bytes;
    DROP TRIGGER trigrams_changed; DROP TABLE recording_trigrams; DROP TABLE trigrams_reach;
    DROP TABLE removals; DROP INDEX recordings_to_remove; DROP TABLE told_alerts; DROP TABLE waiting_alerts;
    ALTER TABLE recordings DROP COLUMN processed_at; ALTER TABLE recordings DROP COLUMN removed_at;
    ALTER TABLE recordings DROP COLUMN moved_to;
    DROP INDEX recordings_by_turn; DROP INDEX recordings_waiting; DROP INDEX recordings_large;
    DROP INDEX recordings_by_turn_not_small;
    CREATE INDEX recordings_by_state ON recordings(state, next_attempt_at);
    DROP TRIGGER night_tally_added; DROP TRIGGER night_tally_changed; DROP TRIGGER night_tally_removed;
    DROP TABLE night_tallies; DROP TABLE watched_quarters; DROP TABLE silent_nights;
    DROP TRIGGER recorded_added; DROP TRIGGER recorded_changed; DROP TABLE recorded_hours; DROP TABLE sent_hours;
    DROP TABLE activity; DROP INDEX timeline_told; DROP INDEX timeline_trouble; DROP TABLE webhook_events;
    DROP TRIGGER tally_added; DROP TRIGGER tally_changed; DROP TRIGGER tally_removed; DROP TABLE tallies;
    DROP INDEX recordings_by_found; CREATE INDEX recordings_by_found ON recordings(found_at, id);
    DROP INDEX recordings_by_text; DROP TABLE unsettled_creations; DROP INDEX recordings_by_ending;
    ALTER TABLE recordings DROP COLUMN held_since; ALTER TABLE recordings DROP COLUMN ends_by;
    ALTER TABLE recordings DROP COLUMN complete_key_at; ALTER TABLE recordings DROP COLUMN service;
    DROP INDEX recordings_by_path; DROP INDEX recordings_by_folder;
    ALTER TABLE recordings DROP COLUMN path_key; ALTER TABLE recordings DROP COLUMN folder_key;
    CREATE INDEX recordings_by_folder ON recordings(folder, state, found_at);
    CREATE TABLE old (path TEXT PRIMARY KEY, file_device TEXT NOT NULL, file_inode TEXT NOT NULL,
      first_seen_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO old SELECT path, file_device, file_inode, first_seen_at FROM folders;
    DROP TABLE folders; ALTER TABLE old RENAME TO folders;
  `)
  db.pragma('user_version = 1')
  db.close()
  const beforeMigration = await station.command('status', '--json')
  expect(beforeMigration).toMatchObject({
    code: 1,
    err: expect.stringContaining('Start the agent there once first'),
  })

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect((await station.stats()).routes.create).toBe(1)
  expect(quarantined()).toEqual([])
})
