import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sha256OfText } from '../../main/agent/calls/make-receipt.ts'
import { canonicalPieces, type Receipt } from '../../shared/status/receipt.ts'
import { editJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, sha256OfFile } from '../support/station.ts'
import { sluice } from '../support/typed-command.ts'

/** Saves receipts, changes files or sessions, and checks what `verify` then reports. */

let station: Station
const random = seeded(13)
const pathOf = (name: string) => path.join(station.recordings, name)
const receiptFile = (name: string) => path.join(station.root, name)

beforeAll(async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('two parts.bin'), PART + 5, random)
  await writeRandomFile(pathOf('=cmd.bin'), 1000, random)
  await writeRandomFile(pathOf('ann\u202enib.bin'), 2000, random)
  expect(await station.runToIdle()).toBe(0)
})
afterAll(() => station.close())

const runCommand = (...args: string[]) => sluice(...args, '--data', station.data)
const ALL = ['--since', '2020-01-01'] as const

const writeReceipt = async (name: string, ...selection: string[]): Promise<string> => {
  const file = receiptFile(name)
  rmSync(file, { force: true })
  const { code, err } = await runCommand('receipt', ...selection, '--out', file)
  expect(err).toContain('written to')
  expect(code).toBe(0)
  return file
}

type Report = {
  readonly receipt: { readonly unchanged: boolean }
  readonly agrees: number
  readonly differs: number
  readonly unchecked: number
  readonly recordings: readonly {
    readonly path: string
    readonly verdict: string
    readonly disk: { readonly verdict: string; readonly what?: string }
    readonly service: { readonly verdict: string; readonly what?: string }
  }[]
}

const verify = async (file: string, ...flags: string[]): Promise<{ code: unknown; report: Report }> => {
  const { code, out, err } = await runCommand(
    'verify',
    file,
    '--settings',
    station.settingsFile,
    '--json',
    ...flags,
  )
  if (out === '') throw new Error(`verify printed nothing: ${err}`)
  return { code, report: JSON.parse(out) as Report }
}

const entryOf = (report: Report, name: string) =>
  report.recordings.find((entry) => entry.path === pathOf(name))

describe('a receipt', () => {
  test('contains the facts of journal, disk and service about each recording, but no signed URL and no key', async () => {
    const text = readFileSync(await writeReceipt('all.json', ...ALL), 'utf8')
    const { recordings } = JSON.parse(text) as Receipt
    expect(recordings).toHaveLength(3)
    const entry = recordings.find((entry) => entry.path === pathOf('two parts.bin'))!
    expect(entry).toMatchObject({ bytes: PART + 5, state: 'processed', service: station.sandbox.baseUrl })
    expect(entry.sha256).toBe(await sha256OfFile(pathOf('two parts.bin')))
    expect(entry.parts.map(({ bytes }) => bytes)).toEqual([PART, 5])
    for (const part of entry.parts) expect(part.etag).toMatch(/./)
    for (const time of Object.values(entry.times)) expect(Date.parse(time!)).toBeGreaterThan(0)
    const order = [
      entry.times.found,
      entry.times.hashed,
      entry.times.session_created,
      entry.times.completed,
      entry.times.processed,
    ]
    expect(order.toSorted()).toEqual(order)
    expect(entry.request_ids.map(({ state }) => state)).toEqual(['uploading', 'processing', 'processed'])
    for (const { id } of entry.request_ids) expect(id).toMatch(/^req_/)
    expect(text).not.toContain(station.sandbox.keys.write)
    expect(text).not.toMatch(/signature|put_part|\/parts?\//i)
    expect(statSync(receiptFile('all.json')).mode & 0o077).toBe(0)
  })

  test('covers one file or one session, and is not written if no recording matches', async () => {
    const single = JSON.parse(
      readFileSync(await writeReceipt('one.json', '--path', pathOf('=cmd.bin')), 'utf8'),
    ) as Receipt
    expect(single.recordings.map((entry) => entry.path)).toEqual([pathOf('=cmd.bin')])
    const session = single.recordings[0]!.session_id!
    const bySession = await runCommand('receipt', '--session', session)
    expect((JSON.parse(bySession.out) as Receipt).recordings).toEqual(single.recordings)
    const emptyPeriod = await runCommand('receipt', '--since', '2020-01-01', '--until', '2020-01-31')
    expect(emptyPeriod).toMatchObject({ code: 1, out: '' })
    expect(emptyPeriod.err).toContain('No recording was found in this period.')
    const unknownPath = await runCommand('receipt', '--path', pathOf('nowhere.bin'))
    expect(unknownPath.err).toContain('The journal has no recording')
  })

  test('never overwrites an existing file', async () => {
    const sha256Before = await sha256OfFile(pathOf('=cmd.bin'))
    const { code, err } = await runCommand('receipt', ...ALL, '--out', pathOf('=cmd.bin'))
    expect([code, err]).toEqual([1, expect.stringContaining('already exists')])
    expect(await sha256OfFile(pathOf('=cmd.bin'))).toBe(sha256Before)
  })

  test('agrees with the files on disk and the sessions at the service', async () => {
    const { code, report } = await verify(await writeReceipt('good.json', ...ALL))
    expect(report).toMatchObject({ receipt: { unchanged: true }, agrees: 3, differs: 0, unchecked: 0 })
    expect(code).toBe(0)
    for (const entry of report.recordings)
      expect([entry.disk.what, entry.service.what]).toEqual(['same', 'processed'])
  })

  test('is verified with output of at most 80 columns, except for paths', async () => {
    const file = await writeReceipt('words.json', ...ALL)
    const { code, out } = await runCommand('verify', file, '--settings', station.settingsFile)
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    for (const line of lines.filter((text) => !text.includes(station.recordings)))
      expect(line.length).toBeLessThanOrEqual(80)
    expect(lines.at(-1)).toBe('3 of 3 recordings agree.')
    expect(out).toContain('ann\\u202enib.bin')
  })
})

describe('verify', () => {
  let file: string
  beforeEach(async () => {
    file = await writeReceipt('check.json', ...ALL)
  })

  test('does not report recordings on a missing drive as deleted', async () => {
    renameSync(station.recordings, `${station.recordings}-away`)
    try {
      const { code, report } = await verify(file, '--disk-only')
      expect(code).toBe(2)
      expect(report).toMatchObject({ agrees: 0, differs: 0, unchecked: 3 })
      expect(report.recordings[0]?.disk.what).toBe('folder-missing')
    } finally {
      renameSync(`${station.recordings}-away`, station.recordings)
    }
  })

  test('reports an edited receipt, and the recording that does not match it', async () => {
    writeFileSync(file, readFileSync(file, 'utf8').replace('"bytes": 1000,', '"bytes": 1001,'))
    const { code, report } = await verify(file)
    expect(code).toBe(1)
    expect(report.receipt.unchanged).toBe(false)
    expect(entryOf(report, '=cmd.bin')?.disk).toMatchObject({ verdict: 'differs', what: 'changed' })
    expect(entryOf(report, '=cmd.bin')?.service).toMatchObject({ verdict: 'differs', what: 'other-content' })
    const { out } = await runCommand('verify', file, '--settings', station.settingsFile)
    expect(out).toContain('The receipt was changed')
  })

  test('refuses a receipt in CSV, even one that a spreadsheet saved, and asks for the JSON', async () => {
    const csv = await writeReceipt('export.csv', ...ALL)
    const savedCsv = receiptFile('saved.csv')
    writeFileSync(savedCsv, readFileSync(csv, 'utf8').replaceAll(',', ';'))
    for (const csvFile of [csv, savedCsv]) {
      const { code, out, err } = await runCommand('verify', csvFile, '--disk-only')
      expect([code, out]).toEqual([2, ''])
      expect(err).toBe(
        `sluice: ${csvFile} is a receipt in CSV, which is for spreadsheets only. Give the receipt in JSON.\n`,
      )
    }
  })

  test('gives no verdict on the sessions if the service does not answer', async () => {
    const settings = receiptFile('elsewhere.json')
    // No program listens on port 1.
    const service = { base_url: 'http://127.0.0.1:1', api_key: station.sandbox.keys.write }
    writeFileSync(settings, JSON.stringify({ service }), { mode: 0o600 })
    const text = readFileSync(file, 'utf8').replaceAll(station.sandbox.baseUrl, 'http://127.0.0.1:1')
    writeFileSync(file, text)
    const { code, out } = await runCommand('verify', file, '--settings', settings, '--service-only', '--json')
    const report = JSON.parse(out) as Report
    expect(report.unchecked).toBe(3)
    for (const entry of report.recordings) expect(entry.service.what).toBe('no-answer')
    // The exit code is 1, because this test edited the receipt, and `verify` reports that too.
    expect(code).toBe(1)
  })

  test('does not compare a receipt of a different service', async () => {
    const settings = receiptFile('other.json')
    const service = { base_url: 'http://127.0.0.1:2', api_key: 'svc_test_x' }
    writeFileSync(settings, JSON.stringify({ service }), { mode: 0o600 })
    const { code, out } = await runCommand('verify', file, '--settings', settings, '--service-only', '--json')
    expect(code).toBe(2)
    expect((JSON.parse(out) as Report).recordings[0]?.service.what).toBe('other-service')
  })

  test('refuses a receipt without recordings: one message, and exit code 2', async () => {
    const { digest: _, ...content } = JSON.parse(readFileSync(file, 'utf8')) as Receipt
    const nothing = { ...content, recordings: [] }
    const value = sha256OfText([...canonicalPieces(nothing)].join(''))
    const emptyReceipt = receiptFile('nothing.json')
    writeFileSync(emptyReceipt, JSON.stringify({ ...nothing, digest: { algorithm: 'sha256', value } }))
    for (const flags of [[], ['--disk-only'], ['--json']]) {
      const { code, out, err } = await runCommand(
        'verify',
        emptyReceipt,
        '--settings',
        station.settingsFile,
        ...flags,
      )
      expect([code, out]).toEqual([2, flags.includes('--json') ? expect.stringContaining('"error"') : ''])
      expect(err).toContain('names no recording')
    }
  })

  test('refuses a damaged receipt: one line, and exit code 2', async () => {
    const damagedReceipt = receiptFile('bad.json')
    writeFileSync(damagedReceipt, readFileSync(file, 'utf8').slice(0, 900))
    const { code, out, err } = await runCommand('verify', damagedReceipt, '--settings', station.settingsFile)
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^.* is an incomplete or damaged receipt\.\n$/)
  })

  test('distinguishes a missing file from a changed file whose modification time was set back', async () => {
    const backup = { file: receiptFile('kept'), times: statSync(pathOf('=cmd.bin')) }
    const content = readFileSync(pathOf('=cmd.bin'))
    renameSync(pathOf('two parts.bin'), backup.file)
    writeFileSync(pathOf('=cmd.bin'), Buffer.from(content).fill(1, 0, 1))
    utimesSync(pathOf('=cmd.bin'), backup.times.atime, backup.times.mtime)
    try {
      const { code, report } = await verify(file, '--disk-only')
      expect(code).toBe(1)
      expect(report).toMatchObject({ agrees: 1, differs: 2, unchecked: 0 })
      expect(entryOf(report, 'two parts.bin')?.disk).toMatchObject({ verdict: 'differs', what: 'gone' })
      expect(entryOf(report, '=cmd.bin')?.disk).toMatchObject({ verdict: 'differs', what: 'changed' })
      expect(entryOf(report, '=cmd.bin')?.service).toEqual({ verdict: 'skipped' })
    } finally {
      renameSync(backup.file, pathOf('two parts.bin'))
      writeFileSync(pathOf('=cmd.bin'), content)
    }
  })

  // This test deletes a session and edits the journal, so it runs after the tests that need all three recordings.
  test('reports a session that is missing at the service, and a recording that was never sent', async () => {
    const { recordings } = JSON.parse(readFileSync(file, 'utf8')) as Receipt
    const session = (name: string) => recordings.find((entry) => entry.path === pathOf(name))!.session_id!
    await station.sandbox.api(`/v1/sessions/${session('=cmd.bin')}`, { method: 'DELETE' })
    const { code, report } = await verify(file, '--service-only')
    expect(code).toBe(1)
    expect(entryOf(report, '=cmd.bin')?.service).toMatchObject({ verdict: 'differs', what: 'missing' })
    expect(entryOf(report, 'two parts.bin')?.service).toMatchObject({ verdict: 'agrees' })

    editJournal(station.data, "UPDATE recordings SET session_id = NULL WHERE name = 'two parts.bin'")
    const unsent = await verify(await writeReceipt('unsent.json', '--path', pathOf('two parts.bin')))
    expect(unsent.code).toBe(1)
    expect(entryOf(unsent.report, 'two parts.bin')?.service).toMatchObject({ what: 'never-sent' })
  })
})
