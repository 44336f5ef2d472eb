import { promisify } from 'node:util'
import { windowsSystemFile } from '../../../../shared/paths/system-files.ts'

/**
 * Hard case: On a drive without hard links, a recorder takes a name just when Sluice gives it to a different file.
 * The system checks the name and renames the file in one step. If the system or the drive has no such rename, Sluice
 * checks the name and then renames the file. A file that the recorder creates between these two steps is overwritten.
 */

/**
 * True if the file was renamed. False if the rename failed, for example because the name is taken, or because the drive
 * does not support this.
 */
export type RenameIfFree = (from: string, to: string) => Promise<boolean>

type Call = (...args: readonly unknown[]) => Promise<number>

const CURRENT_FOLDER = -100
const RENAME_NOREPLACE = 1
const RENAME_EXCL = 4

/** Each call runs on a thread of koffi. Throws if a library or function is missing. */
const loadRename = async (platform: NodeJS.Platform): Promise<RenameIfFree> => {
  const { load } = (await import('koffi')).default
  const callOf = (library: ReturnType<typeof load>, prototype: string) =>
    promisify(library.func(prototype).async) as Call
  switch (platform) {
    case 'linux': {
      const rename = callOf(
        load('libc.so.6'),
        'int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags)',
      )
      return async (from, to) =>
        (await rename(CURRENT_FOLDER, from, CURRENT_FOLDER, to, RENAME_NOREPLACE)) === 0
    }
    case 'darwin': {
      const rename = callOf(
        load('/usr/lib/libSystem.B.dylib'),
        'int renamex_np(const char *from, const char *to, unsigned int flags)',
      )
      return async (from, to) => (await rename(from, to, RENAME_EXCL)) === 0
    }
    case 'win32': {
      const move = callOf(
        load(windowsSystemFile('kernel32.dll', process.env)),
        'int32_t __stdcall MoveFileExW(const char16_t *from, const char16_t *to, uint32_t flags)',
      )
      return async (from, to) => (await move(from, to, 0)) !== 0
    }
    default:
      return async () => false
  }
}

/** Each call loads the library again. Calls are rare, because Sluice usually makes a hard link instead. */
export const renameIfFree: RenameIfFree = async (from, to) => {
  const rename = await loadRename(process.platform).catch(() => null)
  return rename === null ? false : rename(from, to)
}
