import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { renameIfFree } from '../../../../../../main/agent/platform/files/rename-if-free.ts'
import { linux, needs } from '../../../../../support/needs.ts'

test('the system renames a file only if the name is free', needs(linux), async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-rename-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const pathOf = (name: string) => path.join(folder, name)
  writeFileSync(pathOf('ours'), 'ours')
  writeFileSync(pathOf('täken'), 'theirs')
  expect(await renameIfFree(pathOf('ours'), pathOf('täken'))).toBe(false)
  expect(await renameIfFree(pathOf('missing'), pathOf('free'))).toBe(false)
  expect(await renameIfFree(pathOf('ours'), pathOf('frëe'))).toBe(true)
  expect(readdirSync(folder).sort()).toEqual(['frëe', 'täken'])
  expect(readFileSync(pathOf('frëe'), 'utf8')).toBe('ours')
  expect(readFileSync(pathOf('täken'), 'utf8')).toBe('theirs')
})
