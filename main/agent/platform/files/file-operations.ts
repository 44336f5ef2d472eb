import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathsOf } from '../../../../shared/paths/paths.ts'
import { type FileIdentity, sameExceptCtime, sameFile } from '../../domain/file-identity.ts'
import type { FileOperationResult, FileOperations, HideResult } from '../../ports/files.ts'
import { copyInto, KEEP_OWNER } from './copy-file.ts'
import { DriveCalls } from './drive-calls.ts'
import { systemCode } from './file-failure.ts'
import { HeldFolder, OutsideError, type Root } from './held-folder.ts'
import { resolvePath } from './inside-root.ts'
import {
  type HeldEntry,
  operationFailure,
  placeEntry,
  renameEntry,
  statEntry,
  unlinkEntry,
} from './place-file.ts'
import { openRecording } from './recording-file.ts'
import { identityOf } from './stat-identity.ts'

const done = { kind: 'done' } as const
const changed = { kind: 'changed' } as const

/**
 * Renames the file only if it has this identity. Another file may take its place just before the rename. So Sluice
 * compares the identity again under the new name, which no other program knows. If the identity differs, Sluice
 * restores the old name. Returns the identity after the rename, because the rename changes the ctime.
 */
const hide = async (
  file: HeldEntry,
  hidden: HeldEntry,
  identity: FileIdentity,
  newKey: () => string,
): Promise<HideResult> => {
  const before = await statEntry(file)
  if (!before.isFile() || !sameFile(identityOf(before), identity)) return changed
  await renameEntry(file, hidden)
  const after = await statEntry(hidden)
  if (after.isFile() && sameExceptCtime(identityOf(after), identity)) {
    await file.folder.sync()
    return { kind: 'done', identity: identityOf(after) }
  }
  if (after.isFile()) await placeEntry(hidden, file, null, newKey)
  else await renameBackIfFree(hidden, file)
  return changed
}

/** Restores the old name of an entry that `placeEntry` refuses: a folder, a pipe or a symbolic link. */
const renameBackIfFree = async (hidden: HeldEntry, file: HeldEntry): Promise<void> => {
  const isFree = await statEntry(file).then(
    () => false,
    (error: unknown) => operationFailure(error).kind === 'vanished',
  )
  if (isFree) await renameEntry(hidden, file)
}

const remove = async (entry: HeldEntry, identity: FileIdentity | null): Promise<FileOperationResult> => {
  const stats = await statEntry(entry)
  if (!stats.isFile()) return { kind: 'refused', detail: 'it is not a regular file' }
  if (identity !== null && !sameFile(identityOf(stats), identity)) return changed
  await unlinkEntry(entry)
  await entry.folder.sync()
  return done
}

const ALL_RIGHTS = 0o777
const OWNER = 0o700
const READ_BY_OTHERS = 0o055

/** Copies the read rights of the parent folder. Without them, only the agent's own user could read the new folder. */
const copyReadRights = async (parent: string, folder: string): Promise<void> => {
  if (process.platform === 'win32') return
  const { gid, mode } = await stat(parent)
  const opened = await open(folder, constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    await opened.chown(KEEP_OWNER, gid).catch((error: unknown) => {
      if (systemCode(error) === null) throw error
    })
    await opened.chmod(OWNER | (mode & READ_BY_OTHERS))
  } catch (error) {
    // Ignore a system error, because some shares and drives do not store access rights.
    if (systemCode(error) === null) throw error
  } finally {
    await opened.close()
  }
}

/**
 * `rootOf` returns the folder that contains the path: a watched folder, a folder that was watched before, or an archive
 * folder. The path must not lead out of that folder. Without a root, Sluice refuses every operation that changes a file
 * or a folder.
 */
export const createFileOperations = (
  toOpen: (path: string) => string,
  rootOf: (path: string) => string | null,
  calls: DriveCalls = new DriveCalls(),
  platform: NodeJS.Platform = process.platform,
  newKey: () => string = randomUUID,
): FileOperations => {
  const requireRoot = (file: string): Root => {
    const root = rootOf(file)
    if (root === null) throw new OutsideError('it is not inside a configured folder')
    return { drive: root, root: toOpen(root) }
  }

  const withHeldFolder = async <T>(
    folder: string,
    root: Root,
    act: (held: HeldFolder) => Promise<T>,
  ): Promise<T> => {
    const held = await HeldFolder.open(folder, root, calls, platform)
    try {
      return await act(held)
    } finally {
      await held.close()
    }
  }

  /** Keeps the folder of the file open while `act` runs. */
  const withEntry = <T>(file: string, act: (entry: HeldEntry) => Promise<T>): Promise<T> => {
    const openPath = toOpen(file)
    return withHeldFolder(path.dirname(openPath), requireRoot(file), (folder) =>
      act({ folder, name: path.basename(openPath) }),
    )
  }

  const place = (from: string, to: string, identity: FileIdentity | null): Promise<FileOperationResult> =>
    withEntry(from, async (old) => {
      const isSameFolder = path.dirname(toOpen(from)) === path.dirname(toOpen(to))
      const targetInSameFolder: HeldEntry = { folder: old.folder, name: path.basename(toOpen(to)) }
      const placeAt = async (entry: HeldEntry) => {
        const result = await placeEntry(old, entry, identity, newKey)
        if (result.kind === 'done') {
          await entry.folder.sync()
          if (!isSameFolder) await old.folder.sync()
        }
        return result
      }
      return isSameFolder ? placeAt(targetInSameFolder) : withEntry(to, placeAt)
    })

  const copy: FileOperations['copy'] = (from, to, identity, signal) =>
    withEntry(to, async (entry) => {
      const source = await openRecording(toOpen(from), rootOf(from), null, calls)
      if (!source.ok)
        return source.failure.kind === 'file-vanished'
          ? { kind: 'vanished' }
          : { kind: 'refused', detail: source.failure.kind }
      try {
        const { gid, mode } = await calls.run(requireRoot(from).drive, () => stat(toOpen(from)))
        return await copyInto(source.value, entry, identity, { gid, mode: mode & ALL_RIGHTS }, signal)
      } finally {
        await source.value.close()
      }
    })

  /**
   * Creates the missing folders one by one. For each one, Sluice first opens the parent folder and checks that it does
   * not lie outside the root. Never creates the root itself.
   */
  const makeFolder = async (folder: string): Promise<FileOperationResult> => {
    const root = requireRoot(path.join(folder, 'file'))
    const names = pathsOf(platform).nameInside(root.drive, folder)?.split('/').filter(Boolean) ?? []
    let folderSoFar = root.root
    for (const name of names) {
      await withHeldFolder(folderSoFar, root, async (held) => {
        const parent = folderSoFar
        await held
          .run(async () => {
            await mkdir(held.entry(name))
            await copyReadRights(parent, held.entry(name))
          })
          .catch((error: unknown) => {
            if (systemCode(error) !== 'EEXIST') throw error
          })
        // Sync even if the folder already exists: the sync after its creation may have failed.
        await held.sync()
      })
      folderSoFar = path.join(folderSoFar, name)
    }
    return withHeldFolder(folderSoFar, root, async () => done)
  }

  const toResult = <T extends FileOperationResult | HideResult>(act: () => Promise<T>) =>
    // An error that `act` throws synchronously also becomes a result.
    Promise.resolve().then(act).catch(operationFailure)

  return {
    hide: (file, hidden, identity) =>
      toResult(() =>
        withEntry(file, (entry) => {
          if (path.dirname(toOpen(file)) !== path.dirname(toOpen(hidden)))
            throw new Error('the hidden name is in a different folder')
          return hide(entry, { folder: entry.folder, name: path.basename(toOpen(hidden)) }, identity, newKey)
        }).catch((error: unknown) => {
          if (error instanceof OutsideError) return changed
          throw error
        }),
      ),
    place: (from, to, identity) => toResult(() => place(from, to, identity ?? null)),
    copy: (...args) => toResult(() => copy(...args)),
    remove: (file, identity) => toResult(() => withEntry(file, (entry) => remove(entry, identity ?? null))),
    makeFolder: (folder) => toResult(() => makeFolder(folder)),
    realFolder: async (folder) => {
      try {
        return await calls.run(folder, async () => {
          const real = await resolvePath(toOpen(folder), platform)
          return (await stat(real)).isDirectory() ? real : null
        })
      } catch (error) {
        if (systemCode(error) === null) throw error
        return null
      }
    },
    sameDrive: async (a, b) => {
      const statOf = (file: string) => calls.run(rootOf(file) ?? file, () => stat(toOpen(file)))
      try {
        const [statsA, statsB] = await Promise.all([statOf(a), statOf(b)])
        return statsA.dev === statsB.dev
      } catch (error) {
        if (systemCode(error) === null) throw error
        // It is unknown whether the drives are the same, so let the move try a rename. If that fails because the drives
        // differ, Sluice copies the file.
        return true
      }
    },
  }
}
