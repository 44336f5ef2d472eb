import { done, type Failure, failed, type Outcome } from '../../../main/agent/domain/failure.ts'
import { type FileIdentity, sameFile } from '../../../main/agent/domain/file-identity.ts'
import { isMarkerName } from '../../../main/agent/domain/marker-file.ts'
import { sidecarsAmong } from '../../../main/agent/domain/naming.ts'
import {
  FileChangedError,
  type FileInspection,
  type Files,
  FileUnreadableError,
} from '../../../main/agent/ports/files.ts'
import type {
  FolderAccess,
  FoundFile,
  VolumeIdentity,
  WatchListener,
} from '../../../main/agent/ports/folders.ts'
import type { HashRequest, HashThreads, RunningHashes } from '../../../main/agent/ports/hashing.ts'
import type { InspectionThread } from '../../../main/agent/ports/inspection.ts'
import { linuxPaths } from '../../../shared/paths/paths.ts'
import { isNeverRecording, isRemovalName } from '../../../shared/paths/system-names.ts'
import { partDigest, wholeDigest } from './content.ts'

export type FileCall = 'identify' | 'inspect' | 'open' | 'read' | 'hash' | 'hash-on'

export type ModelFile = { readonly content: string; readonly identity: FileIdentity }

/** A drive in memory. `fate` can make any operation fail. */
export class ModelFiles {
  readonly #files = new Map<string, ModelFile>()
  fate: (call: FileCall, path: string) => Failure | 'never' | null = () => null
  /** The result of inspecting a file. */
  inspection: FileInspection = { format: 'other', complete: 'unknown', writer: 'none', sample: '' }
  /** Sends simulated events of the operating system to a watcher. The drive calls this function when a watch begins. */
  sendEvents: (listener: WatchListener) => void = (listener) => listener.ready()
  /** The part size with which each file was last hashed. */
  readonly #partSizes = new Map<string, number>()
  #writes = 0
  readonly #now: () => number
  freeBytes = 1e12
  /** The free space of drives without recordings. Null: unknown. */
  otherFreeBytes: number | null = 1e12
  #listing: readonly FoundFile[] | null = null
  #volume: VolumeIdentity = { device: '1', inode: '1' }
  /** The recordings of the drives that are not plugged in, by the identity of each drive. */
  readonly #unplugged = new Map<string, ReadonlyMap<string, ModelFile>>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Sets the result of the next scan, regardless of the files on the drive. */
  listOnce(files: readonly FoundFile[]): void {
    this.#listing = files
  }

  /** Replaces the drive at the folder of the recordings. Each drive keeps its own files. */
  plug(volume: VolumeIdentity): void {
    const ofRecordings = [...this.#files].filter(([path]) => path.startsWith('/recordings/'))
    this.#unplugged.set(JSON.stringify(this.#volume), new Map(ofRecordings))
    for (const [path] of ofRecordings) this.#files.delete(path)
    this.#volume = volume
    for (const [path, file] of this.#unplugged.get(JSON.stringify(volume)) ?? []) this.#files.set(path, file)
  }

  /** The device number of the drive that has this path. */
  deviceOf(path: string): string {
    return path.startsWith('/other-drive/') ? '2' : this.#volume.device
  }

  stamp(): string {
    this.#writes += 1
    return String(BigInt(this.#now()) * 1_000_000n + BigInt(this.#writes))
  }

  at(path: string): ModelFile | undefined {
    return this.#files.get(path)
  }

  put(path: string, file: ModelFile): void {
    this.#files.set(path, file)
  }

  write(path: string, content: string, sizeBytes: number): void {
    const stamp = this.stamp()
    const inode = this.#files.get(path)?.identity.inode ?? stamp
    const identity = { device: this.deviceOf(path), inode, sizeBytes, mtimeNs: stamp, ctimeNs: stamp }
    this.#files.set(path, { content, identity })
  }

  /** Edits the file and restores its mtime, as a user can. No user can restore the ctime. */
  editRestoringMtime(path: string, content: string): void {
    const file = this.#files.get(path)
    if (file !== undefined)
      this.#files.set(path, { content, identity: { ...file.identity, ctimeNs: this.stamp() } })
  }

  /** Edits the file, but changes neither its size nor its times, as on a drive that stores no ctime. */
  editKeepingTimes(path: string, content: string): void {
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
      const outcome = await this.#identity('inspect', path)
      return outcome.ok ? done(this.inspection) : outcome
    },
    open: async (path) => {
      const outcome = await this.#identity('open', path)
      if (!outcome.ok) return outcome
      const assertSame = async (identity: FileIdentity) => {
        const current = await this.#identity('read', path)
        if (!current.ok && current.failure.kind !== 'file-vanished')
          throw new FileUnreadableError(current.failure)
        if (!current.ok || !sameFile(current.value, identity)) throw new FileChangedError('it was written to')
      }
      return done({
        identify: async () => outcome.value,
        read: async function* ({ identity }) {
          await assertSame(identity)
          yield new Uint8Array(1)
        },
        close: async () => {},
      })
    },
    exists: async (path) => this.#files.has(path),
    presence: async (path) => {
      const found = await this.#identity('identify', path)
      if (found.ok) return 'file'
      return found.failure.kind === 'file-vanished' ? 'missing' : 'unknown'
    },
    readText: async (path) => done(this.contentOf(path) ?? null),
    freeBytes: async (folder) => (folder === '/recordings' ? this.freeBytes : this.otherFreeBytes),
  }

  readonly folderAccess: FolderAccess = {
    scan: async ({ marker_suffix, notes_sidecar }) => ({
      kind: 'scanned',
      files: this.#withoutNotes(this.#takeListing(), notes_sidecar).filter(
        ({ path }) => !isMarkerName(linuxPaths, path, marker_suffix),
      ),
      unreadableNames: [],
      unreadablePaths: [],
      removalNames: [...this.#files.keys()].filter(
        (path) => path.startsWith('/recordings/') && isRemovalName(linuxPaths.nameOf(path)),
      ),
      volume: this.#volume,
    }),
    watch: (_, listener) => {
      setImmediate(() => this.sendEvents(listener))
      return { enter: null, close: () => {} }
    },
    volumeOf: async (path) =>
      path.startsWith('/recordings') ? this.#volume : { device: '1', inode: `of ${path}` },
    sharing: async () => 'own',
  }

  #withoutNotes(files: readonly FoundFile[], suffix: string | undefined): readonly FoundFile[] {
    if (suffix === undefined) return files
    const paths = files.map(({ path }) => path)
    const notes = sidecarsAmong(paths, suffix)
    return files.filter(({ path }) => !notes.has(path))
  }

  #takeListing(): readonly FoundFile[] {
    const listing = this.#listing
    this.#listing = null
    return (
      listing ??
      [...this.#files]
        .filter(([path]) => path.startsWith('/recordings/') && !isNeverRecording(linuxPaths.nameOf(path)))
        .map(([path, { identity }]) => ({ path, identity }))
    )
  }

  readonly hashing: HashThreads = {
    hash: async ({ path, identity, partSizeBytes }) => {
      const current = await this.#identity('hash', path)
      if (!current.ok) return current
      if (!sameFile(current.value, identity))
        return failed({ kind: 'file-changed', detail: 'while it was read' })
      this.#partSizes.set(path, partSizeBytes)
      return done(this.#digestsOf(this.#files.get(path)?.content ?? '', { identity, partSizeBytes }))
    },
    digest: async (algorithm, path, { start, length }) => {
      if (algorithm === 'md5') return done('00')
      const partSizeBytes = this.#partSizes.get(path) ?? length
      return done(partDigest(this.contentOf(path) ?? '', start / partSizeBytes + 1, partSizeBytes))
    },
    close: async () => {},
  }

  readonly inspectionThread: InspectionThread = {
    inspect: async ({ path }) =>
      this.#files.has(path)
        ? done({
            format: 'other',
            completeness: 'unknown',
            startedAtMs: null,
            endedAtMs: null,
            durationS: null,
            channels: [],
            warnings: [],
          })
        : failed({ kind: 'file-vanished' }),
    close: async () => {},
  }

  /** If true, the running hash does not notice when old bytes of the growing file are overwritten. */
  missesRewrites = false
  readonly #running = new Map<
    number,
    { readonly content: string; readonly partSizeBytes: number; bytes: number }
  >()

  readonly runningHashes: RunningHashes = {
    advance: async ({ id, path, partSizeBytes, toBytes }) => {
      const current = await this.#identity('hash-on', path)
      if (!current.ok) return current
      const content = this.#running.get(id)?.content ?? this.#files.get(path)?.content ?? ''
      this.#running.set(id, { content, partSizeBytes, bytes: toBytes })
      return done({ kind: 'advanced', bytes: toBytes })
    },
    finish: async (request) => {
      const running = this.#running.get(request.id)
      const content = this.#files.get(request.path)?.content
      if (running === undefined || running.partSizeBytes !== request.partSizeBytes) return done(null)
      if (!this.missesRewrites && running.content !== content) return done(null)
      const current = await this.#identity('hash-on', request.path)
      if (!current.ok) return current
      if (!sameFile(current.value, request.identity))
        return failed({ kind: 'file-changed', detail: 'at its end' })
      this.#partSizes.set(request.path, request.partSizeBytes)
      return done(this.#digestsOf(running.content, request))
    },
    partSizeOf: (id) => this.#running.get(id)?.partSizeBytes ?? null,
    bytesOf: (id) => this.#running.get(id)?.bytes ?? 0,
    ids: () => [...this.#running.keys()],
    forget: (id) => {
      this.#running.delete(id)
    },
    close: async () => {},
  }

  /** Simulates kill -9: drops the hashes in memory. */
  forgetRunningHashes(): void {
    this.#running.clear()
  }

  #digestsOf(content: string, { identity, partSizeBytes }: Pick<HashRequest, 'identity' | 'partSizeBytes'>) {
    const count = Math.ceil(identity.sizeBytes / partSizeBytes)
    const partSha256 = Array.from({ length: count }, (_, n) => partDigest(content, n + 1, partSizeBytes))
    return { sha256: wholeDigest(content), partSha256 }
  }

  async #identity(call: FileCall, path: string): Promise<Outcome<FileIdentity>> {
    const fate = this.fate(call, path)
    await Promise.resolve()
    if (fate === 'never') return new Promise(() => {})
    if (fate !== null) return failed(fate)
    const file = this.#files.get(path)
    return file === undefined ? failed({ kind: 'file-vanished' }) : done(file.identity)
  }
}
