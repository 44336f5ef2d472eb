import { readFile, realpath } from 'node:fs/promises'
import type { Paths } from '../../../../shared/paths/paths.ts'
import { withoutOctalEscapes } from '../files/octal-escapes.ts'

/**
 * Hard case: This PC shares a watched folder by NFS.
 * The kernel writes for the other PCs, so no process of this PC has their files open. Therefore Sluice treats the
 * folder like a network share: an end mark does not end the settle time, and rules remove no file within a day of its
 * last change.
 */

/**
 * The folders that other PCs may write to. A line with `v4root` is the kernel's own read-only root of all exports, so
 * it does not count.
 */
export const writableExports = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => /^\/.*\(rw\b/.test(line) && !line.includes('v4root'))
    .map((line) => withoutOctalEscapes(line.split('\t')[0] ?? ''))

/** Without an NFS server, the list does not exist. */
export const isExported = async (folder: string, paths: Paths): Promise<boolean> => {
  const text = await readFile('/proc/fs/nfsd/exports', 'utf8').catch(() => '')
  if (text === '') return false
  const realPath = await realpath(paths.toOpen(folder)).catch(() => folder)
  return writableExports(text).some(
    (exported) => paths.same(exported, realPath) || paths.contains(exported, realPath),
  )
}
