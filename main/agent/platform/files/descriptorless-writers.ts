import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withoutOctalEscapes } from './octal-escapes.ts'

/**
 * Hard case: A recording is written although no program has a descriptor of its file.
 * The kernel itself writes to the file of a loop device. An io_uring keeps its registered files open after the program
 * has closed its descriptors. Linux lists both kinds of files, and Sluice reads these lists.
 */

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

/** The files behind writable loop devices, such as a mounted disk image. */
export const listLoopFiles = (blockDevices = '/sys/block'): readonly string[] => {
  try {
    return readdirSync(blockDevices)
      .filter((name) => name.startsWith('loop') && textOf(join(blockDevices, name, 'ro')) === '0')
      .map((name) => textOf(join(blockDevices, name, 'loop/backing_file')))
      .filter((file) => file !== '')
  } catch {
    return []
  }
}

/** What `/proc/PID/fd` shows for an io_uring. */
export const RING_TARGET = 'anon_inode:[io_uring]'

/**
 * Parses the registered files of an io_uring from its `fdinfo`. The program may write these files or only read them.
 */
export const parseRingFiles = (fdinfo: string): readonly string[] => {
  const [, registered = ''] = /^UserFiles:.*\n((?: +\d+: .*\n)*)/m.exec(fdinfo) ?? []
  return [...registered.matchAll(/^ +\d+: (\/.*)$/gm)].map(([, file = '']) => withoutOctalEscapes(file))
}
