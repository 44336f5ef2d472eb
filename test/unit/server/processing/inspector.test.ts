import { expect, onTestFinished, test } from 'vitest'
import { Inspector } from '../../../../server/processing/inspector.ts'
import { MissingBytesError } from '../../../../server/storage/byte-store.ts'
import { mcapFile } from '../../../contract/sample-files.ts'

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

test('reports why the storage could not be read', async () => {
  const read = async () => Promise.reject(new MissingBytesError())
  const file = { name: 'run.mcap', size: 10, read }
  await expect(openInspector().inspect(file, 60_000, signal)).rejects.toBeInstanceOf(MissingBytesError)
})

test('ends an inspection that takes too long, and continues with the next one', async () => {
  const inspector = openInspector(0)
  const hanging = { name: 'run.mcap', size: 10, read: () => new Promise<Buffer>(() => {}) }
  expect(await inspector.inspect(hanging, 50, signal)).toMatchObject({
    warnings: [{ code: 'took-too-long', detail: 'The inspection took too long.' }],
  })
  const inspection = await inspector.inspect(fileOf(await mcapFile({ layout: 'chunks' })), 60_000, signal)
  expect(inspection).toMatchObject({ format: 'mcap', completeness: 'complete' })
})

test('ends with the server', async () => {
  const abort = new AbortController()
  const hanging = { name: 'run.mcap', size: 10, read: () => new Promise<Buffer>(() => {}) }
  const inspection = openInspector().inspect(hanging, 60_000, abort.signal)
  abort.abort(new Error('stopping'))
  await expect(inspection).rejects.toThrow('stopping')
})
