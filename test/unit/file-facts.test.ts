import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { factsOnDrive, factsOnShare } from '../../main/agent/platform/folders/file-facts.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-facts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('many are told in their order, each with its size or why it cannot be told, asked in either way', async () => {
  const names = Array.from({ length: 300 }, (_, n) => path.join(folder, `take-${n}`))
  for (const [n, name] of names.entries()) if (n % 7 !== 3) writeFileSync(name, 'x'.repeat(n))
  const beneath = path.join(names[0] ?? '', 'beneath')
  const asked = [...names, beneath]
  const told = (facts: Awaited<ReturnType<typeof factsOnDrive.ask>>) =>
    facts.map((fact) => (typeof fact === 'string' ? fact : Number(fact.size)))
  const expected = [...names.map((_, n) => (n % 7 === 3 ? 'ENOENT' : n)), 'ENOTDIR']
  expect(told(await factsOnDrive.ask(asked))).toEqual(expected)
  expect(told(await factsOnShare.ask(asked))).toEqual(expected)
  expect(await factsOnDrive.ask([])).toEqual([])
})
