import { type FileIdentity, sameExceptCtime, sameFile } from '../../../main/agent/domain/file-identity.ts'
import type { FileOperationResult, FileOperations, HideResult } from '../../../main/agent/ports/files.ts'
import type { ModelFile, ModelFiles } from './files.ts'

export type Operation = 'hide' | 'place' | 'copy' | 'remove'

/** The outcome of an operation, including a kill before it, during it, or before its result arrives. */
export type OperationFate =
  | 'done'
  | 'killed-before'
  | 'killed-within'
  | 'killed-after'
  | FileOperationResult['kind']

const done = { kind: 'done' } as const
const never = new Promise<never>(() => {})

/** The remover's file operations, run on the in-memory drive. */
export class ModelFileOperations {
  fate: (operation: Operation) => OperationFate = () => 'done'
  /** Called right before the remover deletes a name. */
  onRemove: (path: string, file: ModelFile) => void = () => {}
  /** Called between the check of a file and its rename. */
  beforeRename: (path: string) => void = () => {}
  /** Called when a file has its hidden name, before the remover checks it. */
  onHide: (hidden: string) => void = () => {}
  onPlace: (from: string, to: string, file: ModelFile) => void = () => {}
  isTargetFull = false
  readonly #drive: ModelFiles

  constructor(drive: ModelFiles) {
    this.#drive = drive
  }

  readonly operations: FileOperations = {
    hide: (path, hidden, identity) =>
      this.#operation('hide', () => {
        const checkedFile = this.#drive.at(path)
        if (checkedFile === undefined) return { kind: 'vanished' }
        if (!sameFile(checkedFile.identity, identity)) return { kind: 'changed' }
        this.beforeRename(path)
        const file = this.#drive.at(path) ?? checkedFile
        this.#drive.remove(path)
        const renamed = this.#withNewCtime(file)
        this.#drive.put(hidden, renamed)
        this.onHide(hidden)
        return { kind: 'done', identity: renamed.identity }
      }),
    place: (from, to, identity) =>
      this.#operation(
        'place',
        () => {
          if (this.#differs(from, identity)) return { kind: 'changed' }
          const result = this.#link(from, to)
          if (result.kind === 'done') this.#drive.remove(from)
          return result
        },
        () => this.#link(from, to),
      ),
    copy: (from, to, identity) =>
      this.#operation(
        'copy',
        () => {
          const file = this.#drive.at(from)
          if (file === undefined) return { kind: 'vanished' }
          if (!sameFile(file.identity, identity)) return { kind: 'changed' }
          if (this.isTargetFull) return { kind: 'full' }
          this.#write(to, file.content, file)
          return done
        },
        () => {
          const file = this.#drive.at(from)
          if (file !== undefined) this.#write(to, `half of ${file.content}`, file)
        },
      ),
    remove: (path, identity) =>
      this.#operation('remove', () => {
        const file = this.#drive.at(path)
        if (file === undefined) return { kind: 'vanished' }
        if (this.#differs(path, identity)) return { kind: 'changed' }
        this.onRemove(path, file)
        this.#drive.remove(path)
        return done
      }),
    makeFolder: async () => done,
    realFolder: async (folder) => folder,
    sameDrive: async (a, b) => this.#drive.deviceOf(`${a}/`) === this.#drive.deviceOf(`${b}/`),
  }

  #write(to: string, content: string, like: ModelFile): void {
    const { device: _, ...identity } = like.identity
    const stamp = this.#drive.stamp()
    this.#drive.put(to, {
      content,
      identity: { ...identity, device: this.#drive.deviceOf(to), inode: stamp, ctimeNs: stamp },
    })
  }

  #link(from: string, to: string): FileOperationResult {
    const file = this.#drive.at(from)
    if (file === undefined) return { kind: 'vanished' }
    if (this.#drive.at(to) !== undefined) return { kind: 'taken' }
    if (this.#drive.deviceOf(from) !== this.#drive.deviceOf(to)) return { kind: 'other-drive' }
    this.onPlace(from, to, file)
    const linked = this.#withNewCtime(file)
    this.#drive.put(from, linked)
    this.#drive.put(to, linked)
    return done
  }

  /** A rename or a new hard link changes only the ctime. */
  #withNewCtime(file: ModelFile): ModelFile {
    const renamed = { ...file, identity: { ...file.identity, ctimeNs: this.#drive.stamp() } }
    if (!sameExceptCtime(renamed.identity, file.identity))
      throw new Error('a rename changed more than the ctime')
    return renamed
  }

  #differs(path: string, identity: FileIdentity | undefined): boolean {
    const file = this.#drive.at(path)
    return file !== undefined && identity !== undefined && !sameFile(file.identity, identity)
  }

  async #operation<T extends FileOperationResult | HideResult>(
    operation: Operation,
    doAll: () => T,
    doHalf: () => unknown = () => {},
  ): Promise<T | Exclude<FileOperationResult, { kind: 'done' }>> {
    const fate = this.fate(operation)
    await Promise.resolve()
    switch (fate) {
      case 'done':
        return doAll()
      case 'killed-before':
        return never
      case 'killed-within':
        doHalf()
        return never
      case 'killed-after':
        doAll()
        return never
      case 'refused':
        return { kind: 'refused', detail: 'simulated' }
      default:
        return { kind: fate }
    }
  }
}
