import { readFile, realpath } from 'node:fs/promises'
import type { Paths } from '../../../../shared/paths/paths.ts'
import { withoutOctalEscapes } from '../files/octal-escapes.ts'

/**
 * Hard case: This PC shares a watched folder by NFS.
 * The kernel writes the files of other PCs, so no process of this PC has them open. Sluice therefore treats the folder
 * like a network share: it waits the full settle time in spite of an end mark, and removes a file only a day after its
 * last change.
 */

/**
 * The folders that other PCs may write to. Skips lines with `v4root`: the kernel adds this root of all exports itself,
 * as read-only.
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
