import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { InspectionKilledError } from '../../../../server/processing/inspect.ts'
import { Inspector } from '../../../../server/processing/inspector.ts'
import { MissingBytesError } from '../../../../server/storage/byte-store.ts'
import { mcapFile } from '../../../contract/sample-files.ts'
import { endWithRunner } from '../../../support/child-end.ts'
import { linux, needs, posix } from '../../../support/needs.ts'

const openInspector = (graceMs?: number) => {
  const inspector = new Inspector(graceMs)
  onTestFinished(() => inspector.close())
  return inspector
}

const fileOf = (content: Buffer, name = 'run.mcap') => ({
  name,
  size: content.length,
  read: async (offset: number, length: number) => Buffer.from(content.subarray(offset, offset + length)),
})

const { signal } = new AbortController()

test('inspects the content of a recording through the storage of the server', async () => {
  const inspector = openInspector()
  const inspection = await inspector.inspect(fileOf(await mcapFile({ layout: 'chunks' })), 60_000, signal)
  expect(inspection).toMatchObject({ format: 'mcap', completeness: 'complete' })
})

test('scans a recording without an index in few reads, because each read is a request to S3', async () => {
  const file = fileOf(await mcapFile({ layout: 'bare', seconds: 50_000 }))
  let reads = 0
  const read = (offset: number, length: number) => {
    reads += 1
    return file.read(offset, length)
  }
  const inspection = await openInspector().inspect({ ...file, read }, 60_000, signal)
  expect(inspection).toMatchObject({ format: 'mcap', durationS: 50_000 })
  expect(reads).toBeLessThan(20)
})

test('reports why the storage could not be read', async () => {
  const read = async () => Promise.reject(new MissingBytesError())
  const file = { name: 'run.mcap', size: 10, read }
  await expect(openInspector().inspect(file, 60_000, signal)).rejects.toBeInstanceOf(MissingBytesError)
})

test('ends an inspection that takes too long, and continues with the next one', async () => {
  const inspector = openInspector(0)
  const hanging = { name: 'run.mcap', size: 10, read: () => new Promise<Buffer>(() => {}) }
  expect(await inspector.inspect(hanging, 50, signal)).toMatchObject({
    channels: [],
    warnings: [{ code: 'took-too-long', detail: 'The inspection took too long.' }],
  })
  const inspection = await inspector.inspect(fileOf(await mcapFile({ layout: 'chunks' })), 60_000, signal)
  expect(inspection).toMatchObject({ format: 'mcap', completeness: 'complete' })
})

test('an inspection ends when the server stops', async () => {
  const abort = new AbortController()
  const hanging = { name: 'run.mcap', size: 10, read: () => new Promise<Buffer>(() => {}) }
  const inspection = openInspector().inspect(hanging, 60_000, abort.signal)
  abort.abort(new Error('stopping'))
  await expect(inspection).rejects.toThrow('stopping')
})

const fileThatKills = (inspector: Inspector, signal: NodeJS.Signals) => ({
  name: 'run.mcap',
  size: 10,
  read: async () => {
    process.kill(inspector.pid!, signal)
    return new Promise<Buffer>(() => {})
  },
})

/** Ends a process as V8 does when it runs out of memory: by SIGABRT, and on Windows with an exit code. */
const outOfMemorySignal = process.platform === 'win32' ? 'SIGKILL' : 'SIGABRT'

test('reports that an inspection ran out of memory, and inspects the next recording', async () => {
  const inspector = openInspector()
  expect(await inspector.inspect(fileThatKills(inspector, outOfMemorySignal), 60_000, signal)).toMatchObject({
    completeness: 'unknown',
    warnings: [{ code: 'took-too-long', detail: 'The inspection needed too much memory.' }],
  })
  const inspection = await inspector.inspect(fileOf(await mcapFile({ layout: 'chunks' })), 60_000, signal)
  expect(inspection).toMatchObject({ format: 'mcap', completeness: 'complete' })
})

test('gives no result for a recording if the system kills the inspecting process', needs(posix), async () => {
  const inspector = openInspector()
  const inspection = inspector.inspect(fileThatKills(inspector, 'SIGKILL'), 60_000, signal)
  await expect(inspection).rejects.toBeInstanceOf(InspectionKilledError)
})

test('gives no result for a recording if the inspecting process cannot start', async () => {
  const { execPath } = process
  const inspector = openInspector()
  const file = fileOf(await mcapFile({ layout: 'chunks' }))
  process.execPath = `${execPath}-missing`
  try {
    await expect(inspector.inspect(file, 60_000, signal)).rejects.toThrow('cannot start')
  } finally {
    process.execPath = execPath
  }
  expect(await inspector.inspect(file, 60_000, signal)).toMatchObject({ completeness: 'complete' })
})

test(
  'continues an inspection when a service manager sends SIGTERM to all processes',
  needs(linux),
  async () => {
    const inspector = openInspector()
    await inspector.inspect(fileOf(Buffer.from('PAR1')), 60_000, signal)
    const content = await mcapFile({ layout: 'chunks' })
    const file = fileOf(content)
    const read = (offset: number, length: number) => {
      process.kill(inspector.pid!, 'SIGTERM')
      return file.read(offset, length)
    }
    expect(await inspector.inspect({ ...file, read }, 60_000, signal)).toMatchObject({
      completeness: 'complete',
    })
  },
)

test('the inspecting process ends when the server is killed', needs(linux), async () => {
  const url = new URL('../../../../server/processing/inspector.ts', import.meta.url).href
  const program = `
    import { Inspector } from ${JSON.stringify(url)}
    const inspector = new Inspector()
    const read = () => new Promise(() => process.stdout.write(String(inspector.pid)))
    await inspector.inspect({ name: 'run.mcap', size: 10, read }, 60_000, new AbortController().signal)`
  const server = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  endWithRunner(server)
  const [pid] = await once(server.stdout, 'data')
  expect(existsSync(`/proc/${pid}`)).toBe(true)
  server.kill('SIGKILL')
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
})
