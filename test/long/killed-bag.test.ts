import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readJournal, waitForJournal } from '../support/journal-file.ts'
import { linux, needs, program } from '../support/needs.ts'
import { Station } from '../support/station.ts'

/** A program that writes messages into a database as rosbag2 does, until the test kills it. */
const RECORDER = `
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1])
db.execute('PRAGMA journal_mode=MEMORY')
db.execute('CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL)')
db.execute('CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL)')
db.execute('CREATE INDEX timestamp_idx ON messages (timestamp ASC)')
db.execute("INSERT INTO topics VALUES (1, '/camera/wrist', 'sensor_msgs/msg/Image', 'cdr', '')")
at = 1700000000000000000
while True:
    for _ in range(30):
        at += 33000000
        db.execute('INSERT INTO messages(topic_id, timestamp, data) VALUES (1, ?, ?)', (at, bytes(20000)))
    db.commit()
    print('committed', flush=True)
    time.sleep(0.05)
`

let station: Station
afterEach(() => station.close())

test(
  'Sluice reports the rosbag2 folder of a killed recorder as cut off, and uploads it',
  needs(linux, program('python3')),
  async () => {
    station = await Station.open()
    station.configure({ folder: { take: 'folder', settle_seconds: 2 } })
    const waitFor = (what: string, sql: string) => waitForJournal(station.data, what, sql)
    station.agent()
    const bag = path.join(station.recordings, 'run')
    mkdirSync(bag)
    const recorder = spawn('python3', ['-c', RECORDER, path.join(bag, 'run_0.db3')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(recorder.stdout, 'data')
    await waitFor('the recording is found', 'SELECT 1 FROM recordings')
    recorder.kill('SIGKILL')
    await once(recorder, 'close')

    await waitFor('it is cut off', "SELECT 1 FROM recordings WHERE problem_code = 'file-damaged'")
    await waitFor('it is processed', "SELECT 1 FROM recordings WHERE state = 'processed'")
    const [row] = readJournal<{ result: string }>(station.data, 'SELECT result FROM inspections')
    const inspection = JSON.parse(row!.result)
    expect(inspection).toMatchObject({ completeness: 'cut-off' })
    expect(inspection.channels).toMatchObject([{ name: '/camera/wrist' }])
  },
)
