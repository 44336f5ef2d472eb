import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { takeAgentLock } from '../../main/agent/journal/lock.ts'
import { restrictToOwner } from '../../main/local-files/owner-only.ts'
import { LogFiles } from '../../main/program-log/log-files.ts'
import { temporaryFolder } from '../integration/platform-support.ts'
import { linux, needs, program, root } from '../support/needs.ts'

/**
 * The service account, which owns the data folder, attacks root's commands: it swaps entries there while they write.
 */

const SERVICE = 65534
const ATTEMPTS = 4_000

const createServiceData = (): string => {
  const folder = path.join(temporaryFolder(), 'data')
  mkdirSync(folder)
  chownSync(folder, SERVICE, SERVICE)
  chmodSync(path.dirname(folder), 0o755)
  return folder
}

/** Swaps two names with RENAME_EXCHANGE, which Node does not offer. Both names exist at every moment. */
const swapScript = `
import ctypes, os, sys
os.setgroups([]); os.setgid(${SERVICE}); os.setuid(${SERVICE})
one, two = (os.fsencode(name) for name in sys.argv[1:3])
rename = ctypes.CDLL(None).renameat2
rename(-100, one, -100, two, 2)
print('swapping', flush=True)
while True: rename(-100, one, -100, two, 2)
`

const keepSwapping = async (firstPath: string, secondPath: string): Promise<ChildProcess> => {
  const child = spawn('python3', ['-c', swapScript, firstPath, secondPath], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

describe('root in the data folder of a service account', needs(linux, root, program('python3')), () => {
  test('changes no rights, so a swapped folder has no effect', () => {
    const data = createServiceData()
    const logs = path.join(data, 'logs')
    mkdirSync(logs, { mode: 0o755 })
    const file = path.join(logs, 'sluice.log')
    writeFileSync(file, '', { mode: 0o644 })
    expect(restrictToOwner(data)).toEqual([])
    expect(statSync(file).mode & 0o777).toBe(0o644)
  })

  test('writes no log into a folder of root while the log folder is swapped for a link', async () => {
    const data = createServiceData()
    const rootFolder = temporaryFolder()
    const [logs, link] = [path.join(data, 'logs'), path.join(data, 'link')]
    mkdirSync(logs)
    symlinkSync(rootFolder, link)
    for (const entry of [logs, link]) lchownSync(entry, SERVICE, SERVICE)
    await keepSwapping(logs, link)
    const log = new LogFiles(logs)
    for (let n = 0; n < ATTEMPTS; n += 1) log.write('a line', () => '')
    expect(readdirSync(rootFolder)).toEqual([])
  })

  test('empties no file of root while the lock is swapped for a link', async () => {
    const data = createServiceData()
    const victim = path.join(temporaryFolder(), 'victim')
    const content = 'root’s own '.repeat(1_000)
    writeFileSync(victim, content)
    const [lock, link] = [path.join(data, 'agent.lock'), path.join(data, 'link')]
    writeFileSync(lock, content)
    symlinkSync(victim, link)
    for (const entry of [lock, link]) lchownSync(entry, SERVICE, SERVICE)
    await keepSwapping(lock, link)
    for (let n = 0; n < ATTEMPTS; n += 1) {
      try {
        takeAgentLock(data).release()
      } catch {
        // The lock was a link at that moment, and root refused it.
      }
    }
    expect(readFileSync(victim, 'utf8')).toBe(content)
  })
})
