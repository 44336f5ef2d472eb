import { done, type Failure, failed, type Outcome } from '../../../main/agent/domain/failure.ts'
import { type FileIdentity, sameFile } from '../../../main/agent/domain/file-identity.ts'
import {
  FileChangedError,
  type FileInspection,
  type Files,
  FileUnreadableError,
  type FolderEyes,
  type HashThreads,
  type WatchListener,
} from '../../../main/agent/ports.ts'
import { partDigest, wholeDigest } from './content.ts'

export type Touched = 'identify' | 'inspect' | 'open' | 'read' | 'hash'

type ModelFile = { readonly content: string; readonly identity: FileIdentity }

/** A drive in memory, whose every operation can be made to fail. */
export class ModelFiles {
  readonly #files = new Map<string, ModelFile>()
  fate: (touched: Touched) => Failure | 'never' | null = () => null
  /** What a look into a file tells. */
  inspection: FileInspection = { format: 'other', complete: 'unknown', writer: 'none', sample: '' }
  /** What the system tells the watcher of the folder, as soon as it listens. */
  announce: (listener: WatchListener) => void = (listener) => listener.ready()
  /** The size of the parts that each was last cut into. */
  readonly #cut = new Map<string, number>()
  #writes = 0

  write(path: string, content: string, sizeBytes: number): void {
    this.#writes += 1
    const stamp = String(this.#writes * 1_000_000)
    const inode = this.#files.get(path)?.identity.inode ?? String(this.#writes)
    const identity = { device: '1', inode, sizeBytes, mtimeNs: stamp, ctimeNs: stamp }
    this.#files.set(path, { content, identity })
  }

  /** As by somebody who sets the times back, on a drive that knows no other trace of it. */
  editUnseen(path: string, content: string): void {
    const file = this.#files.get(path)
    if (file !== undefined) this.#files.set(path, { ...file, content })
  }

  rename(from: string, to: string): void {
    const file = this.#files.get(from)
    if (file === undefined) return
    this.#files.delete(from)
    this.#files.set(to, file)
  }

  remove(path: string): void {
    this.#files.delete(path)
  }

  contentOf(path: string): string | undefined {
    return this.#files.get(path)?.content
  }

  paths(): readonly string[] {
    return [...this.#files.keys()]
  }

  readonly files: Files = {
    identify: async (path) => this.#identity('identify', path),
    inspect: async (path) => {
      const found = await this.#identity('inspect', path)
      return found.ok ? done(this.inspection) : found
    },
    open: async (path) => {
      const found = await this.#identity('open', path)
      if (!found.ok) return found
      const assertSame = async (identity: FileIdentity) => {
        const now = await this.#identity('read', path)
        if (!now.ok && now.failure.kind !== 'file-vanished') throw new FileUnreadableError(now.failure)
        if (!now.ok || !sameFile(now.value, identity)) throw new FileChangedError('it was written to')
      }
      return done({
        identify: async () => found.value,
        read: async function* ({ identity }) {
          await assertSame(identity)
          yield new Uint8Array(1)
        },
        close: async () => {},
      })
    },
    exists: async (path) => this.#files.has(path),
    readText: async () => done(null),
    freeBytes: async () => 1e12,
  }

  readonly eyes: FolderEyes = {
    scan: async () => ({
      kind: 'scanned',
      files: [...this.#files].map(([path, { identity }]) => ({ path, identity })),
      unreadableNames: [],
      unreadablePaths: [],
      volume: { device: '1', inode: '1' },
    }),
    watch: (_, listener) => {
      setImmediate(() => this.announce(listener))
      return async () => {}
    },
    volumeOf: async () => ({ device: '1', inode: '1' }),
    mayBeShared: async () => false,
  }

  readonly hashing: HashThreads = {
    hash: async ({ path, identity, partSizeBytes }) => {
      const now = await this.#identity('hash', path)
      if (!now.ok) return now
      if (!sameFile(now.value, identity)) return failed({ kind: 'file-changed', detail: 'while it was read' })
      const content = this.#files.get(path)?.content ?? ''
      this.#cut.set(path, partSizeBytes)
      const count = Math.ceil(identity.sizeBytes / partSizeBytes)
      const partSha256 = Array.from({ length: count }, (_, n) => partDigest(content, n + 1, partSizeBytes))
      return done({ sha256: wholeDigest(content), partSha256 })
    },
    digest: async (algorithm, path, { start, length }) => {
      if (algorithm === 'md5') return done('00')
      const partSizeBytes = this.#cut.get(path) ?? length
      return done(partDigest(this.contentOf(path) ?? '', start / partSizeBytes + 1, partSizeBytes))
    },
    close: async () => {},
  }

  async #identity(touched: Touched, path: string): Promise<Outcome<FileIdentity>> {
    const fate = this.fate(touched)
    await Promise.resolve()
    if (fate === 'never') return new Promise(() => {})
    if (fate !== null) return failed(fate)
    const file = this.#files.get(path)
    return file === undefined ? failed({ kind: 'file-vanished' }) : done(file.identity)
  }
}
