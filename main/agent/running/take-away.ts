import { REMOVING_PREFIX } from '../../../shared/paths/system-names.ts'
import type { FolderSettings } from '../../../shared/settings.ts'
import { movedFile, sameFile, sameInode } from '../domain/file-identity.ts'
import {
  journalSaysSafe,
  type Leaving,
  movedPath,
  serviceObjection,
  tooSoonByService,
  type Wait,
} from '../domain/keeping.ts'
import { problemOf } from '../domain/problems.ts'
import type { Recording, Removal } from '../journal/journal.ts'
import type { FileActed, ServiceClient } from '../ports.ts'
import { carryOut } from './carry-out.ts'
import { putRight, type RemovalWorld } from './put-right.ts'
import type { StageWorld } from './stage.ts'

const MOST_NAMES = 1_000
/** The hash threads cut while they read; nobody wants these parts. */
const PART_BYTES = 64 * 1024 * 1024

type World = RemovalWorld & Pick<StageWorld, 'hashing' | 'station' | 'random' | 'newKey' | 'settings'>

export type Due = {
  readonly recording: Recording
  readonly folder: FolderSettings
  readonly policy: Leaving
  /** Before its days have passed, because its drive is nearly full. */
  readonly early: boolean
}

/** `over`: whatever there was to say is in the journal. */
type Outcome = Wait | 'over'

const waitOf = (acted: Exclude<FileActed, { kind: 'done' }>, place: 'file' | 'target'): Wait => {
  switch (acted.kind) {
    case 'changed':
      return 'file-changed'
    case 'vanished':
      return place === 'file' ? 'file-gone' : 'target-missing'
    case 'taken':
      return 'target-taken'
    case 'full':
      return 'target-full'
    case 'other-drive':
    case 'refused':
      return place === 'file' ? 'file-refused' : 'target-refused'
  }
}

/**
 * One file leaves this PC, or stays. It is taken only when, at that moment, the journal calls it processed in the
 * service in use, the file is the one that was uploaded, down to its content, and the service says `processed` and shows
 * the same SHA-256 and size. Every step is in the journal before it is made.
 */
export class TakeAway {
  readonly #world: World
  readonly #due: Due
  readonly #service: ServiceClient
  readonly #signal: AbortSignal
  /** Of the service's last word on it. */
  #requestId: string | null = null

  constructor(world: World, due: Due, service: ServiceClient, signal: AbortSignal) {
    this.#world = world
    this.#due = due
    this.#service = service
    this.#signal = signal
  }

  async run(): Promise<void> {
    const { journal } = this.#world
    const { recording, policy } = this.#due
    const outcome =
      (await this.#fileObjection()) ??
      (policy.action === 'delete' ? await this.#delete() : await this.#move(policy.to))
    const left = journal.removals.of(recording.id)
    // What had begun is undone, or found to be over; only then is it said why.
    if (left?.step != null && !(await putRight(this.#world, left))) return
    if (outcome !== 'over' && !this.#signal.aborted) {
      const now = journal.recordings.byId(recording.id)
      if (now !== null && now.removedAtMs === null) journal.removals.wait(now, outcome, this.#requestId)
    }
  }

  async #delete(): Promise<Outcome> {
    const objection = await this.#contentObjection(this.#due.recording.path, 'source')
    if (objection !== null) return objection
    const refused = await this.#ask()
    if (refused !== null) return refused
    return this.#leave(this.#intend({ action: 'delete', target: null, copy: null }))
  }

  /** On one drive by its name alone, to another one as a copy that is read again before the file goes. */
  async #move(to: string): Promise<Outcome> {
    const { acts, journal, paths } = this.#world
    const { recording } = this.#due
    const objection = await this.#targetObjection(to)
    if (objection !== null) return objection
    const known = journal.removals.of(recording.id)
    const copied = known === null ? null : await this.#copiedBefore(known)
    const target = copied ?? (await this.#freeName(to))
    if (target === null) return 'target-taken'
    if (copied === null) {
      const made = await acts.makeFolder(paths.resolve(target, '..'))
      if (made.kind !== 'done') return waitOf(made, 'target')
      if (await acts.sameDrive(recording.path, to)) return this.#rename(target)
      const failed = await this.#copyTo(target)
      if (failed !== null) return failed
    } else this.#intend({ action: 'move', target, copy: this.#nameBeside(target) })
    const refused = await this.#ask()
    if (refused !== null) return refused
    const intent = journal.removals.of(recording.id)
    if (intent?.copy == null) return 'interrupted'
    if (copied === null) {
      const placed = await acts.place(intent.copy, target)
      if (placed.kind !== 'done') return waitOf(placed, 'target')
    }
    journal.removals.advance(recording.id, 'copied', this.#requestId)
    return this.#leave(intent)
  }

  async #rename(target: string): Promise<Outcome> {
    const objection = await this.#contentObjection(this.#due.recording.path, 'source')
    if (objection !== null) return objection
    const refused = await this.#ask()
    if (refused !== null) return refused
    return this.#leave(this.#intend({ action: 'move', target, copy: null }))
  }

  async #copyTo(target: string): Promise<Outcome | null> {
    const { acts } = this.#world
    const { recording } = this.#due
    const copy = this.#nameBeside(target)
    this.#intend({ action: 'move', target, copy })
    const made = await acts.copy(recording.path, copy, recording.identity, this.#signal)
    if (made.kind !== 'done') return waitOf(made, made.kind === 'changed' ? 'file' : 'target')
    // The copy is what will be left: it is read back, and has to be what the service has.
    return this.#contentObjection(copy, 'copy')
  }

  /** The file gets its other name, is looked at once more under it, and goes. */
  async #leave(intent: Removal): Promise<Outcome> {
    const { acts, files, journal } = this.#world
    const { recording } = this.#due
    const { aside, target, copy } = intent
    if (!this.#mayGo()) return 'interrupted'
    const set = await acts.setAside(recording.path, aside, recording.identity)
    if (set.kind !== 'done') return waitOf(set, 'file')
    // From here on nobody can open it by its name: who has it open now is all who ever will.
    const seen = await files.inspect(aside, 'anew')
    if (!seen.ok) return 'file-refused'
    if (seen.value.writer === 'open') return 'file-open'
    if (!this.#mayGo()) return 'interrupted'
    journal.removals.advance(recording.id, 'aside', this.#requestId)
    const gone = target !== null && copy === null ? await acts.place(aside, target) : await acts.remove(aside)
    if (gone.kind !== 'done') return waitOf(gone, target !== null && copy === null ? 'target' : 'file')
    journal.removals.finish(recording, { ...intent, requestId: this.#requestId })
    this.#world.rescan(recording.folder)
    return 'over'
  }

  #intend(what: Pick<Removal, 'action' | 'target' | 'copy'>): Removal {
    const { journal } = this.#world
    const { recording, early } = this.#due
    journal.removals.intend(recording, { ...what, aside: this.#nameBeside(recording.path), early })
    const intent = journal.removals.of(recording.id)
    if (intent === null) throw new Error('an intent that is not in the journal')
    return intent
  }

  /** That no filter takes, and nobody else has. */
  #nameBeside(path: string): string {
    const { paths, newKey } = this.#world
    return paths.join(paths.resolve(path, '..'), `${REMOVING_PREFIX}${newKey()}`)
  }

  /** Read anew, with nothing in between: a person may have deleted the session, or paused the station, meanwhile. */
  #mayGo(): boolean {
    const { journal, station, settings, paths } = this.#world
    const { recording, folder, policy } = this.#due
    const now = journal.recordings.byId(recording.id)
    const rule = settings()?.folders.find(({ path }) => paths.same(path, folder.path))?.after_upload
    return (
      now !== null &&
      journalSaysSafe(now, journal.station.serviceInUse()) &&
      paths.same(now.path, recording.path) &&
      now.sessionId === recording.sessionId &&
      sameFile(now.identity, recording.identity) &&
      journal.station.paused() === null &&
      station.mayAsk() &&
      JSON.stringify(rule) === JSON.stringify(policy) &&
      !this.#signal.aborted
    )
  }

  async #fileObjection(): Promise<Wait | null> {
    const { files } = this.#world
    const { path, identity } = this.#due.recording
    const found = await files.identify(path)
    if (!found.ok) return found.failure.kind === 'file-vanished' ? 'file-gone' : 'file-refused'
    // With other rights or another name for a moment: the watcher notes it, and then its content is compared.
    if (!sameFile(found.value, identity))
      return movedFile(found.value, identity) ? 'interrupted' : 'file-changed'
    const seen = await files.inspect(path)
    if (!seen.ok) return seen.failure.kind === 'file-vanished' ? 'file-gone' : 'file-refused'
    return seen.value.writer === 'open' ? 'file-open' : null
  }

  /** An edit whose times were set back is seen by nothing else. */
  async #contentObjection(path: string, which: 'source' | 'copy'): Promise<Wait | null> {
    const { files, hashing } = this.#world
    const { recording } = this.#due
    const found = await files.identify(path)
    if (!found.ok) return 'file-gone'
    if (found.value.sizeBytes !== recording.identity.sizeBytes) return 'file-changed'
    if (which === 'source' && !sameFile(found.value, recording.identity)) return 'file-changed'
    const hashed = await hashing.hash({
      path,
      identity: found.value,
      partSizeBytes: PART_BYTES,
      onProgress: () => {},
      signal: this.#signal,
    })
    if (hashed.ok) return hashed.value.sha256 === recording.sha256 ? null : 'file-changed'
    switch (hashed.failure.kind) {
      case 'file-changed':
        return 'file-changed'
      case 'file-vanished':
        return 'file-gone'
      case 'cancelled':
        return 'interrupted'
      default:
        return 'file-refused'
    }
  }

  /** Never into a watched folder, whatever links lead there; and the folder itself is never made. */
  async #targetObjection(to: string): Promise<Wait | null> {
    const { acts, paths, settings } = this.#world
    const real = await acts.realFolder(to)
    if (real === null) return 'target-missing'
    for (const { path } of settings()?.folders ?? []) {
      const watched = (await acts.realFolder(path)) ?? path
      if (paths.same(watched, real) || paths.contains(watched, real) || paths.contains(real, watched))
        return 'target-watched'
    }
    return null
  }

  async #freeName(to: string): Promise<string | null> {
    const { files, paths } = this.#world
    const { recording, folder } = this.#due
    for (let attempt = 1; attempt <= MOST_NAMES; attempt += 1) {
      const name = movedPath(paths, folder.path, to, recording.path, attempt)
      if (name === null) return null
      if (!(await files.exists(name))) return name
    }
    return null
  }

  /** A copy that an earlier try has put in its place, which a kill then kept from being used. */
  async #copiedBefore(known: Removal): Promise<string | null> {
    const { target, copy } = known
    if (target === null || copy === null || known.action !== 'move') return null
    const found = await this.#world.files.identify(target)
    if (!found.ok || sameInode(found.value, this.#due.recording.identity)) return null
    return (await this.#contentObjection(target, 'copy')) === null ? target : null
  }

  /** Null when the service still has it, processed and with the same content. */
  async #ask(): Promise<Outcome | null> {
    const { journal } = this.#world
    const { recording, policy, early } = this.#due
    if (recording.sessionId === null) return 'not-processed'
    const answer = await this.#service.retrieveSession(recording.sessionId, this.#signal)
    if (answer.ok) {
      const { value: session, requestId } = answer.value
      this.#requestId = requestId
      const isTooSoon = !early && tooSoonByService(session, this.#service.nowMs(), policy.days)
      return serviceObjection(session, recording) ?? (isTooSoon ? 'too-soon' : null)
    }
    const { failure } = answer
    const attempts = journal.removals.of(recording.id)?.attempts ?? 0
    if (carryOut(this.#world, { kind: 'leaving', recording, attempts }, failure) === 'session-lost')
      this.#lost(failure.kind === 'other-organisation')
    return 'over'
  }

  /** The service denied it again and again: it is not safe any more, and its file is still here. */
  #lost(elsewhere: boolean): void {
    const { journal } = this.#world
    const problem = problemOf(elsewhere ? 'session-elsewhere' : 'session-deleted')
    journal.recordings.transition(
      this.#due.recording.id,
      'processed',
      { kind: 'deleted-at-service' },
      { reason: 'the service does not have the session any more; the file stays', patch: { problem } },
    )
  }
}
