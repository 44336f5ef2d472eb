import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { linux, type Need, root } from './needs.ts'

/** Tries to mount a copy, because a container may forbid this. */
export const systemCopy: Need = () => {
  const missingRequirement = linux() ?? root()
  if (missingRequirement !== null) return missingRequirement
  const { status } = spawnSync('unshare', [
    '--mount',
    'sh',
    '-c',
    'mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/r && mount -t overlay o -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r',
  ])
  return status === 0 ? null : 'an overlay of this system'
}

/** A copy of this system, or of the system in `original`. Changes stay in memory and never reach the original. */
export class SystemCopy {
  readonly #base = mkdtempSync(path.join(tmpdir(), 'sluice-system-'))
  readonly root = path.join(this.#base, 'root')
  /** The folder of the files that were changed or added in the copy. */
  readonly changes = path.join(this.#base, 'upper')

  constructor(original = '/') {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', this.#base])
    const work = path.join(this.#base, 'work')
    for (const folder of [this.changes, work, this.root]) mkdirSync(folder)
    const overlayOptions = `lowerdir=${original},upperdir=${this.changes},workdir=${work}`
    execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', overlayOptions, this.root])
  }

  close(): void {
    for (const folder of [this.root, this.#base]) execFileSync('umount', ['-l', folder])
    rmSync(this.#base, { recursive: true, force: true })
  }
}
