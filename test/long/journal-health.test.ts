import { once } from 'node:events'
import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAMAGED_JOURNAL_EXIT } from '../../shared/ipc/agent-protocol.ts'
import { HostedAgent } from '../support/hosted-agent.ts'
import { editJournal } from '../support/journal-file.ts'
import { MIB, Station } from '../support/station.ts'

let station: Station
let hosted: HostedAgent
const journalFile = () => path.join(station.data, 'journal.db')

/** Adds a table of 60 MB to the journal. Only a full check reads this table. */
beforeEach(async () => {
  station = await Station.open()
  writeFileSync(path.join(station.recordings, 'take.bin'), 'some bytes')
  expect(await station.runToIdle()).toBe(0)
  editJournal(station.data, 'CREATE TABLE ballast (bytes BLOB)')
  editJournal(
    station.data,
    `WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 60000)
     INSERT INTO ballast SELECT randomblob(1000) FROM counter`,
  )
  hosted = await HostedAgent.start(station)
})
afterEach(() => station.close())

test('the agent reports an intact journal, and answers other requests during the check', async () => {
  const answerOrder: string[] = []
  const callAgent = async (name: 'getSupportFacts' | 'getRecording', args?: unknown) => {
    const answer = await hosted.call(name, args)
    answerOrder.push(name)
    return answer
  }
  const calls = [callAgent('getSupportFacts'), callAgent('getRecording', { id: 1 })]
  const [facts, recording] = await Promise.all(calls)

  expect(facts).toMatchObject({ journal: { intact: true, trouble: null } })
  expect(recording).toMatchObject({ name: 'take.bin' })
  expect(answerOrder[0]).toBe('getRecording')
})

const damage = (): void => {
  const handle = openSync(journalFile(), 'r+')
  const middle = Math.floor(statSync(journalFile()).size / 4096 / 2) * 4096
  writeSync(handle, Buffer.alloc(MIB, 0xa5), 0, MIB, middle)
  closeSync(handle)
}

test('the agent finds and reports damage in pages that no query has read, and continues', async () => {
  damage()

  const { journal: health } = await hosted.call('getSupportFacts', undefined)

  expect(health).toMatchObject({ intact: false, trouble: expect.stringMatching(/\S/) })
  expect((await hosted.recordings()).map((row) => row.name)).toEqual(['take.bin'])
})

test('a damaged journal never replaces its last good copy, which the next start restores', async () => {
  const backup = path.join(station.data, 'journal.backup.db')
  const goodCopy = readFileSync(backup)
  damage()
  const ended = once(hosted.child, 'exit')

  // The last step of the shutdown is a backup.
  await hosted.stop()

  expect(await ended).toEqual([DAMAGED_JOURNAL_EXIT, null])
  expect(readFileSync(backup).equals(goodCopy)).toBe(true)
  hosted = await HostedAgent.start(station)
  await hosted.waitForState('take.bin', 'processed')
  expect(await hosted.call('getSupportFacts', undefined)).toMatchObject({ journal: { intact: true } })
  expect(await station.sessions()).toHaveLength(1)
})
