import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findAgent } from '../../main/cli/running-agent.ts'
import { readJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { needs, posix } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { seeded } from '../support/seeded.ts'
import { Station, until } from '../support/station.ts'

/** `verify --all` finds edits that left the size and the time of a file unchanged. */

let station: Station
afterEach(() => station.close())

const random = seeded(29)
const pathOf = (name: string) => path.join(station.recordings, name)

type Report = {
  readonly agrees: number
  readonly differs: number
  readonly unchecked: number
  readonly stopped: boolean
  readonly replaced: number
  readonly recordings: readonly {
    readonly path: string
    readonly verdict: string
    readonly disk: { readonly what: string }
  }[]
}

/** Runs `verify --all` without settings and without a key. */
const verifyAll = async () => {
  const { code, out } = await station.sluice('verify', '--all', '--json')
  const { recordings, replaced, ...counts } = JSON.parse(out) as Report
  const findings = recordings.map(({ path: file, verdict, disk }) => [
    path.basename(file),
    verdict,
    disk.what,
  ])
  return { code, counts, findings, replaced }
}

test('reads every local file and reports it as same, edited, of different size, missing or offline', async () => {
  station = await Station.open()
  mkdirSync(pathOf('drive'))
  for (const name of ['a same.bin', 'b edited.bin', 'c longer.bin', 'd gone.bin', 'drive/e away.bin'])
    await writeRandomFile(pathOf(name), 5_000, random)
  expect(await station.runToIdle()).toBe(0)
  expect(await verifyAll()).toMatchObject({
    code: 0,
    counts: { agrees: 5, differs: 0, unchecked: 0, stopped: false },
  })

  const { atime, mtime } = statSync(pathOf('b edited.bin'))
  writeFileSync(pathOf('b edited.bin'), Buffer.alloc(5_000, 7))
  utimesSync(pathOf('b edited.bin'), atime, mtime)
  truncateSync(pathOf('c longer.bin'), 5_001)
  rmSync(pathOf('d gone.bin'))
  renameSync(pathOf('drive'), path.join(station.root, 'unplugged'))
  const { code, counts, findings, replaced } = await verifyAll()
  expect([code, replaced]).toEqual([1, 1])
  expect(counts).toEqual({ agrees: 1, differs: 3, unchecked: 1, stopped: false })
  expect(findings).toEqual([
    ['a same.bin', 'agrees', 'same'],
    ['b edited.bin', 'differs', 'changed'],
    ['c longer.bin', 'differs', 'changed'],
    ['d gone.bin', 'differs', 'gone'],
    ['e away.bin', 'unchecked', 'folder-missing'],
  ])
  // The first `verify` ended the recording of the edited file, so this `verify` skips the file.
  const text = await station.sluice('verify', '--all')
  expect(text.out).toContain('The file has changed: 5,001 bytes instead of 5,000.')
  expect(text.out).toMatch(
    /1 of 4 local files agrees with the journal, 2 differ, 1 could not be checked\.\n$/,
  )
})

/** A whole second, because `utimes` cannot restore the nanoseconds of an mtime. */
const RECORDED_AT = new Date('2026-11-02T08:00:00Z')

/** Edits a file in place and restores its mtime. */
const editInPlace = (file: string): void => {
  writeFileSync(file, Buffer.alloc(statSync(file).size, 7))
  utimesSync(file, RECORDED_AT, RECORDED_AT)
}

const readSessions = () =>
  readJournal<{ current: number; state: string; session_id: string | null }>(
    station.data,
    'SELECT current, state, session_id FROM recordings ORDER BY id',
  )

test.each(['with', 'without'])(
  'an edit that verify finds is uploaded once, as a new recording, %s a running agent',
  async (how) => {
    station = await Station.open()
    await writeRandomFile(pathOf('take.bin'), 5_000, random)
    utimesSync(pathOf('take.bin'), RECORDED_AT, RECORDED_AT)
    expect(await station.runToIdle()).toBe(0)
    const receipt = path.join(station.root, 'receipt.json')
    const made = await station.sluice('receipt', '--since', '2020-01-01', '--out', receipt)
    expect([made.code, made.err]).toEqual([0, expect.any(String)])
    const agent = how === 'with' ? station.agent() : null
    if (agent !== null)
      await until('the agent answers', async () => (await findAgent(station.data)).agent !== null)
    // Stop the agent: its scan must not see the edit before the test has restored the mtime.
    agent?.child.kill('SIGSTOP')
    editInPlace(pathOf('take.bin'))
    agent?.child.kill('SIGCONT')
    const { code, out } = await station.sluice('verify', receipt, '--disk-only')
    expect(code).toBe(1)
    expect(out).toContain('The file has changed: same size, different SHA-256.')
    expect(out).toContain('1 edited file becomes a new recording. The agent uploads the new content.')
    if (agent === null) expect(await station.runToIdle()).toBe(0)
    await until('both contents are processed', () => {
      const rows = readSessions()
      return rows.length === 2 && rows.every(({ state }) => state === 'processed')
    })
    await agent?.kill('SIGTERM')
    const [first, second] = readSessions()
    expect([first?.current, second?.current]).toEqual([0, 1])
    expect(first?.session_id).not.toBe(second?.session_id)
    expect(await verifyAll()).toMatchObject({ code: 0, counts: { agrees: 1, differs: 0 }, replaced: 0 })
    expect(readSessions()).toHaveLength(2)
  },
)

test('Ctrl-C prints the results so far and exits with 2', needs(posix), async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('take.bin'), 1_000, random)
  expect(await station.runToIdle()).toBe(0)
  const child = spawn(process.execPath, [agentProgram, 'verify', '--all', '--json', '--data', station.data], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // The signal arrives before the hash threads get a job.
    env: { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SEND_SIGINT)}` },
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(2)
  expect(JSON.parse(out)).toMatchObject({ agrees: 0, stopped: true, recordings: [] })
})

/** Sends the signal as soon as the command handles it. */
const SEND_SIGINT =
  "process.on('newListener', (name) => { if (name === 'SIGINT') queueMicrotask(() => process.kill(process.pid, 'SIGINT')) })"

test('needs either a receipt or --all, not both, and refuses --all with --service-only', async () => {
  station = await Station.open()
  for (const args of [[], ['week-9.json', '--all'], ['--all', '--service-only']])
    expect(await station.sluice('verify', ...args)).toMatchObject({ code: 2, out: '' })
})
