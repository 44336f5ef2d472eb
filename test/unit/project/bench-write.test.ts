import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../../..')

test.each(['hash', 's3-upload'])(
  '`npm run bench -- %s --write` replaces no table, because other rows would be lost',
  (name) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['test/bench/main.ts', name, '--write'], {
      cwd: root,
      encoding: 'utf8',
      timeout: 60_000,
    })
    expect(stderr).toContain('--write replaces the whole table')
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  },
)
