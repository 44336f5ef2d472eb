import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { statFilesOn } from '../../../../../../main/agent/platform/folders/stat-files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-facts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('returns the size or error code of many files in order, for every kind of drive', async () => {
  const names = Array.from({ length: 300 }, (_, n) => path.join(folder, `take-${n}`))
  for (const [n, name] of names.entries()) if (n % 7 !== 3) writeFileSync(name, 'x'.repeat(n))
  const pathBelowFile = path.join(names[0] ?? '', 'beneath')
  const paths = [...names, pathBelowFile]
  const summarize = (facts: Awaited<ReturnType<typeof statFilesOn.own.stat>>) =>
    facts.map((fact) => (typeof fact === 'string' ? fact : Number(fact.size)))
  // Windows returns the same code for a missing folder and for a file in its place. All callers treat ENOENT and
  // ENOTDIR alike.
  const codeBelowFile = process.platform === 'win32' ? 'ENOENT' : 'ENOTDIR'
  const expected = [...names.map((_, n) => (n % 7 === 3 ? 'ENOENT' : n)), codeBelowFile]
  for (const { stat } of Object.values(statFilesOn)) {
    expect(summarize(await stat(paths))).toEqual(expected)
    expect(await stat([])).toEqual([])
  }
})
