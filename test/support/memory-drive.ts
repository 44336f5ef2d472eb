import { done, failed } from '../../main/agent/domain/failure.ts'
import type { FileIdentity } from '../../main/agent/domain/file-identity.ts'
import { createFolderFilter } from '../../main/agent/platform/folders/folder-filter.ts'
import type { Files } from '../../main/agent/ports/files.ts'
import type { FolderAccess } from '../../main/agent/ports/folders.ts'
import type { Paths } from '../../shared/paths/paths.ts'

/**
 * A drive in memory with the path rules of `paths`. Every spelling that these rules treat as equal opens the same file.
 * A scan returns the spelling of the last write or rename. With `isCaseSensitive`, the drive behaves like a
 * case-sensitive folder on Windows or a case-sensitive volume on macOS.
 */
export class MemoryDrive {
  readonly #paths: Paths
  readonly #files = new Map<string, { readonly path: string; readonly identity: FileIdentity }>()
  #writes = 0
  isCaseSensitive = false

  constructor(paths: Paths) {
    this.#paths = paths
  }

  write(path: string): void {
    this.#writes += 1
    const stamp = String(this.#writes * 1_000_000)
    const inode = this.#files.get(this.#keyOf(path))?.identity.inode ?? String(this.#writes)
    const identity = { device: '1', inode, sizeBytes: 10, mtimeNs: stamp, ctimeNs: stamp }
    this.#files.set(this.#keyOf(path), { path, identity })
  }

  delete(path: string): void {
    this.#files.delete(this.#keyOf(path))
  }

  rename(from: string, to: string): void {
    const file = this.#files.get(this.#keyOf(from))
    if (file === undefined) throw new Error(`there is no ${from}`)
    this.delete(from)
    this.#files.set(this.#keyOf(to), { ...file, path: to })
  }

  readonly files: Pick<Files, 'identify' | 'presence'> = {
    identify: async (path) => {
      const file = this.#files.get(this.#keyOf(path))
      return file === undefined ? failed({ kind: 'file-vanished' }) : done(file.identity)
    },
    presence: async (path) => (this.#files.has(this.#keyOf(path)) ? 'file' : 'missing'),
  }

  readonly folderAccess: FolderAccess = {
    scan: async (folder) => {
      const filter = createFolderFilter(folder, this.#paths)
      const foundFiles = [...this.#files.values()].flatMap(({ path, identity }) => {
        const nameInside = this.#paths.nameInside(folder.path, path)
        if (
          nameInside === null ||
          !this.#entersEveryFolder(filter.entersFolder, nameInside) ||
          !filter.takesFile(nameInside)
        )
          return []
        return [{ path: this.#paths.join(folder.path, nameInside), identity }]
      })
      const volume = { device: '1', inode: this.#paths.key(folder.path) }
      return {
        kind: 'scanned',
        files: foundFiles,
        unreadableNames: [],
        unreadablePaths: [],
        removalNames: [],
        volume,
      }
    },
    watch: (_folder, { ready }) => {
      setImmediate(ready)
      return { enter: null, close: () => {} }
    },
    sharing: async () => 'unknown',
    volumeOf: async (path) => ({ device: '1', inode: this.#paths.key(path) }),
  }

  #entersEveryFolder(enters: (folder: string) => boolean, file: string): boolean {
    const names = file.split('/').slice(0, -1)
    return names.every((_, index) => enters(names.slice(0, index + 1).join('/')))
  }

  #keyOf(path: string): string {
    return this.isCaseSensitive ? path : this.#paths.key(path)
  }
}
