import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openProgramLog } from '../../main/program-log/program-log.ts'
import { type LogQuery, readLogEnd, readLogPage } from '../../main/program-log/read-log.ts'
import { redact } from '../../shared/redaction/redact.ts'
import { mountedDisk, needs } from '../support/needs.ts'
import { until } from '../support/station.ts'
import { temporaryFolder } from './platform-support.ts'

const module = path.resolve(import.meta.dirname, '../../main/program-log/program-log.ts')
const ALL_LINES: LogQuery = { levels: [], sources: [], text: '', older: null, limit: 200 }
const readPage = (folder: string, query: Partial<LogQuery> = {}) =>
  readLogPage(folder, { ...ALL_LINES, ...query }, redact)
const textsOf = async (folder: string, query: Partial<LogQuery> = {}) =>
  (await readPage(folder, query)).lines.map(({ text }) => text)
const wallMs = () => Date.parse('2026-03-12T21:30:00Z')
const fileSizes = (folder: string) =>
  readdirSync(folder).map((name) => statSync(path.join(folder, name)).size)
const totalBytes = (folder: string) => fileSizes(folder).reduce((sum, size) => sum + size, 0)

/** Starts a process that writes `count` lines. */
const startWriter = (folder: string, source: string, count: number, limits: object) => {
  const script = `
    const { openProgramLog } = await import(${JSON.stringify(module)})
    const log = openProgramLog(${JSON.stringify(folder)}, '${source}', { limits: ${JSON.stringify(limits)} })
    for (let n = 0; n < ${count}; n += 1) log.info('line', { recordingId: n, filler: 'x'.repeat(200) })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('a line has time, level, source, event, recording and request ID; the reader filters by level, source and text', async () => {
  const folder = temporaryFolder()
  const agent = openProgramLog(folder, 'agent', { wallMs })
  const main = openProgramLog(folder, 'main', { wallMs })
  agent.info('uploaded', { recordingId: 12, requestId: 'req_8', sessionId: 'ses_1', parts: 3 })
  main.error('the page is gone')
  agent.warn('odd', { requestId: 'two words' })

  expect(readFileSync(path.join(folder, 'sluice.log'), 'utf8').split('\n')).toEqual([
    '2026-03-12T21:30:00.000Z info agent uploaded recording=12 request=req_8 session=ses_1 {"parts":3}',
    '2026-03-12T21:30:00.000Z error main the page is gone',
    '2026-03-12T21:30:00.000Z warn agent odd request="two words"',
    '',
  ])
  const { lines, older } = await readPage(folder)
  expect(older).toBeNull()
  expect(lines.map(({ source, level }) => `${source} ${level}`)).toEqual([
    'agent warn',
    'main error',
    'agent info',
  ])
  expect(lines[2]).toMatchObject({ at: '2026-03-12T21:30:00.000Z', recordingId: 12, requestId: 'req_8' })
  expect(await textsOf(folder, { levels: ['error'] })).toEqual(['the page is gone'])
  expect(await textsOf(folder, { sources: ['main'] })).toEqual(['the page is gone'])
  expect(await textsOf(folder, { text: 'REQ_8' })).toHaveLength(1)
})

test('batched lines are written at the end of the batch, in order, even if the batch throws', () => {
  const folder = temporaryFolder()
  const log = openProgramLog(folder, 'agent', { wallMs })
  const readLog = () => readFileSync(path.join(folder, 'sluice.log'), 'utf8')
  log.info('before')
  log.batchLogs(() => {
    log.info('one')
    log.batchLogs(() => log.warn('two'))
    expect(readLog()).not.toContain('one')
  })
  expect(readLog()).toMatch(/info agent before\n.* info agent one\n.* warn agent two\n$/)
  const failingBatch = () =>
    log.batchLogs(() => {
      log.info('three')
      throw new Error('a bug')
    })
  expect(failingBatch).toThrow('a bug')
  log.info('four')
  expect(readLog()).toMatch(/two\n.* three\n.* four\n$/)
})

test('keeps the log files below the total limit, keeps the newest lines, and removes the files of an earlier version', async () => {
  const folder = temporaryFolder()
  writeFileSync(path.join(folder, 'agent.old.log'), 'of an earlier version')
  const limits = { fileBytes: 10_000, totalBytes: 40_000 }
  let now = wallMs()
  const log = openProgramLog(folder, 'agent', { limits, wallMs: () => (now += 1) })
  for (let n = 0; n < 1_000; n += 1) {
    log.info(`line ${n}.`, { filler: 'x'.repeat(100) })
    expect(totalBytes(folder)).toBeLessThanOrEqual(limits.totalBytes + 'of an earlier version'.length)
  }
  expect(readdirSync(folder)).not.toContain('agent.old.log')
  const keptLines = (await readLogEnd(folder, 1_000_000)) ?? []
  expect(keptLines.at(-1)).toContain('line 999.')
  const numbers = keptLines.map((line) => Number(/line (\d+)\./.exec(line)?.[1]))
  expect(numbers).toEqual(numbers.map((_, at) => 1_000 - numbers.length + at))
  expect(numbers.length).toBeGreaterThan(150)
})

test('pages neither skip nor repeat a line, even while the file is rotated', async () => {
  const folder = temporaryFolder()
  const limits = { fileBytes: 20_000, totalBytes: 1_000_000 }
  let now = wallMs()
  const log = openProgramLog(folder, 'agent', { limits, wallMs: () => (now += 1) })
  for (let n = 0; n < 500; n += 1) log.info(`line ${n}.`, { filler: 'ü'.repeat(40) })
  const pagedLines: string[] = []
  let older: string | null = null
  do {
    const next = await readPage(folder, { limit: 7, older })
    pagedLines.push(...next.lines.map(({ text }) => /line \d+\./.exec(text)?.[0] ?? text))
    older = next.older
    log.info('newer')
  } while (older !== null)
  expect(pagedLines).toEqual(Array.from({ length: 500 }, (_, at) => `line ${499 - at}.`))
})

test('main process and agent write to one file at the same time without losing or mixing lines', async () => {
  const folder = temporaryFolder()
  const limits = { fileBytes: 50_000, totalBytes: 100_000_000 }
  const children = ['agent', 'main'].map((source) => startWriter(folder, source, 2_000, limits))
  await Promise.all(children.map((child) => once(child, 'exit')))
  const lines = (await readLogEnd(folder, 100_000_000)) ?? []
  for (const source of ['agent', 'main'])
    expect(lines.filter((line) => line.includes(` info ${source} line recording=`))).toHaveLength(2_000)
  expect(lines).toHaveLength(4_000)
  expect(readdirSync(folder).length).toBeGreaterThan(10)
})

test('after a kill during a write, the next entry starts on a new line, and all files stay readable', async () => {
  const folder = temporaryFolder()
  const limits = { fileBytes: 20_000, totalBytes: 100_000 }
  const child = startWriter(folder, 'agent', 1_000_000, limits)
  await until(
    'the writer has begun a second file',
    () => existsSync(folder) && readdirSync(folder).length > 2,
  )
  child.kill('SIGKILL')
  await once(child, 'exit')
  appendFileSync(path.join(folder, 'sluice.log'), '2026-03-12T21:30:00.000Z info agent half a li')
  const log = openProgramLog(folder, 'agent', { limits })
  log.info('after the kill')
  const { lines } = await readPage(folder)
  expect(lines[0]).toMatchObject({ text: 'after the kill', level: 'info' })
  expect(lines[1]?.text).toBe('half a li')
  for (const { at, text } of lines.slice(2)) {
    expect(at).not.toBeNull()
    expect(text).toMatch(/^line recording=\d+ \{"filler":"x{200}"\}$/)
  }
})

describe('a log that cannot be written', () => {
  test(
    'does not stop the program on a full disk, and reports the lost lines later',
    needs(mountedDisk),
    async () => {
      const folder = temporaryFolder()
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
      onTestFinished(() => void execFileSync('umount', [folder]))
      const log = openProgramLog(folder, 'agent', { limits: { fileBytes: 1_000_000, totalBytes: 5_000_000 } })
      writeFileSync(path.join(folder, 'other.bin'), Buffer.alloc(50_000))
      for (let n = 0; n < 200; n += 1) log.info(`line ${n}.`, { filler: 'x'.repeat(200) })
      rmSync(path.join(folder, 'other.bin'))
      log.info('there is free space again')
      const lines = (await readLogEnd(folder, 1_000_000)) ?? []
      const wholeLineCount = lines.filter((line) => / line \d+\. .*x"\}$/.test(line)).length
      expect(lines.at(-1)).toMatch(/there is free space again$/)
      expect(lines.at(-2)).toMatch(
        new RegExp(` warn agent lines could not be written \\{"lines":${200 - wholeLineCount}\\}$`),
      )
      expect(wholeLineCount).toBeGreaterThan(10)
    },
  )

  test('recreates its missing folder, and does not throw if that fails', () => {
    const folder = path.join(temporaryFolder(), 'logs')
    const log = openProgramLog(folder, 'main')
    log.info('first')
    rmSync(folder, { recursive: true })
    log.info('second')
    expect(readFileSync(path.join(folder, 'sluice.log'), 'utf8')).toMatch(/ second\n$/)
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'a file in its place')
    log.info('third')
    rmSync(folder)
    mkdirSync(folder)
    log.info('fourth')
    expect(readFileSync(path.join(folder, 'sluice.log'), 'utf8')).toMatch(
      /lines could not be written \{"lines":1\}\n.* fourth\n$/,
    )
  })
})
