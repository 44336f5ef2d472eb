import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSampleFolder } from '../../../../../main/shell/sandbox/sample-folder.ts'

let parent: string
beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'sluice-samples-'))
})
afterEach(() => rmSync(parent, { recursive: true }))

test('the sample folder has a few small recordings', () => {
  const folder = makeSampleFolder(parent, Date.now())
  const names = readdirSync(folder)
  expect(names.sort()).toEqual(['grip-001.csv', 'grip-002.csv', 'room-tone-001.wav'])
  for (const name of names) {
    const { size } = statSync(path.join(folder, name))
    expect(size).toBeGreaterThan(1_000)
    expect(size).toBeLessThan(100_000)
  }
})

test('creating the sample folder again keeps the user’s files', () => {
  const folder = makeSampleFolder(parent, Date.now())
  writeFileSync(path.join(folder, 'grip-001.csv'), 'mine')
  expect(makeSampleFolder(parent, Date.now())).toBe(folder)
  expect(readFileSync(path.join(folder, 'grip-001.csv'), 'utf8')).toBe('mine')
})
