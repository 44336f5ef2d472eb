import { fork } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  type AttackedFolders,
  createFolders,
  platformFor,
  removalName,
} from '../integration/attacked-folders.ts'
import { identityAt, temporaryFolder } from '../integration/platform-support.ts'
import { endWithRunner } from '../support/child-end.ts'
import { linux, needs } from '../support/needs.ts'

/** An attacker swaps a subfolder of a watched folder for a link while Sluice renames files there. */

/** Swaps the folder `night` for a link to `outside` again and again until the returned function is called. */
const startSwapping = async ({ root, outside, night }: AttackedFolders): Promise<() => Promise<void>> => {
  const script = path.join(import.meta.dirname, '../support/swap-folder.ts')
  const attacker = fork(script, [night, path.join(root, 'moved'), outside])
  endWithRunner(attacker)
  await new Promise((resolve) => attacker.once('message', resolve))
  return async () => {
    attacker.kill('SIGKILL')
    await new Promise((resolve) => attacker.once('exit', resolve))
  }
}

test(
  'no file lands outside the watched folder while its subfolder is swapped for a link',
  needs(linux),
  async () => {
    const folders = createFolders()
    const { root, outside, night } = folders
    // A long path below the swapped folder gives the attack more time within one call.
    const deepPath = Array.from({ length: 200 }, () => 'd').join('/')
    const [deep, trap, victim] = [path.join(night, deepPath), path.join(outside, deepPath), temporaryFolder()]
    mkdirSync(deep, { recursive: true })
    mkdirSync(path.dirname(trap), { recursive: true })
    symlinkSync(victim, trap)
    const names = Array.from({ length: 250 }, (_, n) => `take-${n}.desktop`)
    const hiddenFiles = names.map((name) => path.join(deep, removalName(name)))
    for (const hidden of hiddenFiles) writeFileSync(hidden, '')
    const { operations } = platformFor(root)
    const stop = await startSwapping(folders)
    for (const [n, hidden] of hiddenFiles.entries())
      for (let attempt = 0; attempt < 4; attempt += 1)
        if ((await operations.place(hidden, path.join(deep, names[n]!))).kind === 'done') break
    await stop()
    expect(readdirSync(victim)).toEqual([])
  },
)

test(
  'no file outside the watched folder is renamed while a subfolder is swapped for a link',
  needs(linux),
  async () => {
    const folders = createFolders()
    const [mine, theirs] = [path.join(folders.night, 'take.bin'), path.join(folders.outside, 'take.bin')]
    writeFileSync(theirs, 'a file of a different user')
    writeFileSync(mine, 'mine')
    const identity = await identityAt(mine)
    const { operations } = platformFor(folders.root)
    const stop = await startSwapping(folders)
    const ctimeBefore = statSync(theirs, { bigint: true }).ctimeNs
    for (let n = 0; n < 4_000; n += 1) {
      const hidden = path.join(folders.night, removalName('take.bin'))
      if ((await operations.hide(mine, hidden, identity)).kind !== 'done') continue
      for (let attempt = 0; attempt < 100; attempt += 1)
        if ((await operations.place(hidden, mine)).kind === 'done') break
      Object.assign(identity, await identityAt(mine).catch(() => identity))
      if (!existsSync(theirs)) break
    }
    await stop()
    expect(readdirSync(folders.outside)).toEqual(['take.bin'])
    // Any rename, even a reverted one, changes the ctime.
    expect(statSync(theirs, { bigint: true }).ctimeNs).toBe(ctimeBefore)
  },
)
