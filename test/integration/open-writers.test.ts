import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createOpenWriters } from '../../main/agent/platform/files/open-writers.ts'
import { linux, needs } from '../support/needs.ts'
import { temporaryFolder } from './platform-support.ts'

test('one who opened the file a moment ago is seen by whoever looks anew', needs(linux), async () => {
  const file = path.join(temporaryFolder(), 'take.bin')
  writeFileSync(file, 'x')
  const { dev, ino } = statSync(file, { bigint: true })
  const identity = { device: String(dev), inode: String(ino) }
  // A clock that stands still: the last answer never gets old.
  const { writerOf } = createOpenWriters({ monotonicMs: () => 0 }, { info: () => {}, warn: () => {} })
  expect(await writerOf(file, identity)).toBe('none')
  const writer = spawn('sh', ['-c', 'exec 3<>"$0"; echo open; read line', file], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void writer.stdin.end())
  await once(writer.stdout, 'data')
  expect(await writerOf(file, identity)).toBe('none')
  expect(await writerOf(file, identity, 'anew')).toBe('open')
})
