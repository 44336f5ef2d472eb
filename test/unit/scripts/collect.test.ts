import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const SCRIPT = path.join(import.meta.dirname, '../../../scripts/collect.mjs')

let work: string
beforeEach(() => {
  work = mkdtempSync(path.join(tmpdir(), 'sluice-collect-'))
  for (const [system, name] of [
    ['linux', 'sluice.deb'],
    ['windows', 'Sluice.msi'],
  ] as const) {
    mkdirSync(path.join(work, 'packages', system), { recursive: true })
    writeFileSync(path.join(work, 'packages', system, name), system)
    const digest = createHash('sha256').update(system).digest('hex')
    writeFileSync(path.join(work, 'packages', system, 'SHA256SUMS'), `${digest}  ${name}\n`)
  }
})
afterEach(() => rmSync(work, { recursive: true }))

const collect = () => {
  const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, INIT_CWD: ___, ...env } = process.env
  return spawnSync('node', [SCRIPT, 'packages', 'release'], { cwd: work, env, encoding: 'utf8' })
}

test('a release has the files of all systems and one list of checksums', () => {
  expect(collect()).toMatchObject({ status: 0 })
  const sums = readFileSync(path.join(work, 'release/SHA256SUMS'), 'utf8')
  expect(sums.match(/^[0-9a-f]{64} {2}(sluice\.deb|Sluice\.msi)$/gm)).toHaveLength(2)
  expect(readFileSync(path.join(work, 'release/Sluice.msi'), 'utf8')).toBe('windows')
})

test('a changed, missing or unlisted file stops the release', () => {
  const deb = path.join(work, 'packages/linux/sluice.deb')
  writeFileSync(deb, 'other')
  expect(collect()).toMatchObject({ status: 1, stderr: expect.stringContaining('differs from its checksum') })
  rmSync(deb)
  expect(collect()).toMatchObject({ status: 1, stderr: expect.stringContaining('is missing') })
  writeFileSync(deb, 'linux')
  writeFileSync(path.join(work, 'packages/linux/stray.deb'), '')
  expect(collect()).toMatchObject({ status: 1, stderr: expect.stringContaining('is not in SHA256SUMS') })
})
