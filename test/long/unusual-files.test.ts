import { chmodSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readJournal, waitForJournal } from '../support/journal-file.ts'
import { needs, ordinaryUser } from '../support/needs.ts'
import { type RecordingReport, Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const pathOf = (name: string) => path.join(station.recordings, name)
const put = (name: string, content = `the content of ${name}`): string => {
  writeFileSync(pathOf(name), content)
  return pathOf(name)
}

const reportOf = (recordings: readonly RecordingReport[], file: string) =>
  recordings.find((recording) => recording.path === file)

test('reports an empty file to the technician, and continues with everything else', async () => {
  station = await Station.open()
  const emptyFile = put('empty.bin', '')
  const goodFile = put('good.bin')

  expect(await station.runToIdle()).toBe(2)

  const { recordings } = await station.status()
  expect(reportOf(recordings, goodFile)?.state).toBe('processed')
  expect(reportOf(recordings, emptyFile)).toMatchObject({
    state: 'growing',
    problem: {
      code: 'empty-file',
      endsBy: 'file',
      owner: 'technician',
      sentence: expect.stringContaining('empty'),
    },
  })

  // When the recorder writes data later, Sluice uploads the file without any action of the user.
  put('empty.bin', 'not empty any more')
  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
})

test(
  'reports an unreadable file and the path of an unreadable subfolder, and continues with everything else',
  needs(ordinaryUser),
  async () => {
    station = await Station.open()
    const unreadableFile = put('secret.bin')
    const goodFile = put('good.bin')
    mkdirSync(pathOf('closed'))
    put('closed/inside.bin')
    chmodSync(unreadableFile, 0)
    chmodSync(pathOf('closed'), 0)

    const agent = station.agentWith({ asOrdinaryUser: true }, '--until-idle')
    expect(await agent.ended).toBe(2)

    expect(agent.stderr).toContain(`${pathOf('closed')}: permission denied`)
    const { recordings } = await station.status()
    expect(reportOf(recordings, goodFile)?.state).toBe('processed')
    expect(reportOf(recordings, unreadableFile)).toMatchObject({
      state: 'growing',
      problem: {
        code: 'file-unreadable',
        endsBy: 'file',
        sentence: expect.stringContaining('permission denied'),
      },
    })

    // Once the file rights are corrected, Sluice uploads both files without any further action of the user.
    chmodSync(unreadableFile, 0o644)
    chmodSync(pathOf('closed'), 0o755)
    const secondRun = station.agentWith({ asOrdinaryUser: true }, '--until-idle')
    expect(await secondRun.ended).toBe(0)
    await station.expectAllSafe()
    expect((await station.status()).recordings).toHaveLength(3)
  },
)

test('names with emoji, spaces, 255 bytes or the same letter in NFC and NFD arrive unchanged', async () => {
  station = await Station.open()
  const names = [
    'flight 🛩️ 7.bin',
    ' leading and trailing ',
    'quotes \' " and $HOME; rm -rf.bin',
    'ü'.normalize('NFC'),
    'ü'.normalize('NFD'),
    `${'x'.repeat(251)}.bin`,
    `${'€'.repeat(83)}.bin`.slice(0, 85),
    '-rf',
    '%00%2f..',
  ]
  for (const name of names) put(name)

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect((await station.sessions()).map((session) => session.filename).sort()).toEqual([...names].sort())
})

test('a name that the service refuses (line break) is a problem of that file only, until it is renamed', async () => {
  station = await Station.open()
  const refusedFile = put('two\nlines.bin')
  const goodFile = put('good.bin')

  expect(await station.runToIdle()).toBe(2)

  const { recordings } = await station.status()
  expect(reportOf(recordings, goodFile)?.state).toBe('processed')
  expect(reportOf(recordings, refusedFile)).toMatchObject({
    state: 'ready',
    problem: {
      code: 'name-refused',
      endsBy: 'file',
      param: 'filename',
      next: expect.stringContaining('Rename'),
    },
  })

  renameSync(refusedFile, pathOf('one-line.bin'))
  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
  expect((await station.sessions()).map((session) => session.filename).sort()).toEqual([
    'good.bin',
    'one-line.bin',
  ])
})

test('reports a name with invalid UTF-8 as a problem of its folder, escapes the name, and continues with everything else', async () => {
  station = await Station.open()
  const goodFile = put('good.bin')
  writeFileSync(
    Buffer.concat([Buffer.from(pathOf('bad-')), Buffer.from([0xff, 0xfe]), Buffer.from('.bin')]),
    'x',
  )

  const agent = station.agent('--until-idle')
  expect(await agent.ended).toBe(2)

  expect(agent.stderr).toContain('not valid text')
  expect(agent.stderr).toMatch(/bad-.*ff.*fe.*\.bin/i)
  expect(reportOf((await station.status()).recordings, goodFile)?.state).toBe('processed')
})

test('a sparse file of 2 TB does not delay a file that is found later', async () => {
  station = await Station.open()
  const hugeFile = put('0-huge.bin', '')
  truncateSync(hugeFile, 2 * 1024 ** 4)
  const agent = station.agent()
  await waitForJournal(
    station.data,
    'the hasher reads the file',
    "SELECT 1 FROM recordings WHERE state = 'hashing'",
  )
  const laterFile = put('later.bin')
  await agent.waitForChange(
    'the later file is processed',
    (line) => line.path === laterFile && line.state === 'processed',
  )

  expect(reportOf((await station.status()).recordings, hugeFile)).toMatchObject({
    state: 'hashing',
    problem: null,
  })
  agent.child.kill('SIGTERM')
  expect(await agent.ended).toBe(0)
  expect(reportOf((await station.status()).recordings, hugeFile)?.state).toBe('queued')
})

test('a file in a watched folder inside another watched folder is uploaded once, under the inner folder’s site', async () => {
  station = await Station.open()
  const inner = pathOf('inner')
  mkdirSync(inner)
  const outerFile = put('outer.bin')
  const innerFile = put('inner/inner.bin')
  const rules = { settle_seconds: 0.3 }
  station.configure({
    rest: {
      folders: [
        { path: station.recordings, site: 'lab', ...rules },
        { path: inner, site: 'annexe', ...rules },
      ],
    },
  })

  expect(await station.runToIdle()).toBe(0)

  expect(readJournal(station.data, 'SELECT path, site FROM recordings ORDER BY site')).toEqual([
    { path: innerFile, site: 'annexe' },
    { path: outerFile, site: 'lab' },
  ])
  expect((await station.stats()).routes.create).toBe(2)
})

test('reports a watched path that is a file or is missing, and continues with the good folder', async () => {
  station = await Station.open()
  const goodFile = put('good.bin')
  const file = path.join(station.root, 'a-file')
  writeFileSync(file, 'x')
  const missingFolder = path.join(station.root, 'missing')
  station.configure({
    rest: {
      folders: [
        { path: file, site: 'lab' },
        { path: missingFolder, site: 'lab' },
        { path: station.recordings, site: 'lab', settle_seconds: 0.3 },
      ],
    },
  })

  const agent = station.agent('--until-idle')
  expect(await agent.ended).toBe(2)

  expect(agent.stderr).toContain(`${file}: The folder cannot be read. (this path is a file, not a folder)`)
  expect(agent.stderr).toContain(`${missingFolder}: The folder cannot be found.`)
  expect(reportOf((await station.status()).recordings, goodFile)?.state).toBe('processed')
})
