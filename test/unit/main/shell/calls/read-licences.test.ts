import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLicences } from '../../../../../main/shell/calls/read-licences.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-licences-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const writeList = (text: string): string => {
  const file = path.join(folder, 'licences.json')
  writeFileSync(file, text)
  return file
}
const licence = { name: 'zod', version: '4.6.7', licence: 'MIT', text: null }

test('returns the list that the build wrote, unchanged', async () => {
  expect(await readLicences(writeList(JSON.stringify([licence])))).toEqual([licence])
})

test.each([
  ['not JSON', '[{"name": "zod"'],
  ['not a list', JSON.stringify({ zod: licence })],
  ['incomplete', JSON.stringify([{ name: 'zod' }])],
  ['too long', JSON.stringify([{ ...licence, text: 'x'.repeat(4 * 1024 * 1024) }])],
])('a list of licences that is %s is refused in one sentence', async (_, text) => {
  await expect(readLicences(writeList(text))).rejects.toThrow('The list of licences')
})

test('a missing list is refused with the same sentence', async () => {
  await expect(readLicences(path.join(folder, 'none.json'))).rejects.toThrow('The list of licences')
})
