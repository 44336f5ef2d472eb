import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { asideName } from '../domain/aside-name.ts'
import { movedFile, sameFile, sameInode } from '../domain/file-identity.ts'
import {
  journalSaysSafe,
  type Leaving,
  roomWanted,
  serviceObjection,
  tooSoonByService,
  type Wait,
} from '../domain/keeping.ts'
import { problemOf } from '../domain/problems.ts'
import type { Intent, Recording, Removal } from '../journal/journal.ts'
import type { FileActed } from '../ports/files.ts'
import type { ServiceClient } from '../ports/service.ts'
import { carryOut } from '../stage/apply-decision.ts'
import type { StageWorld } from '../stage/stage.ts'
import { contentObjection } from './content-mismatch.ts'
import { freeName, targetObjection } from './move-target.ts'
import { putRight } from './recover-removals.ts'
import type { RemovalWorld } from './restore-hidden-file.ts'

/** To read less takes no longer than to ask. */
const ASK_FIRST_FROM_BYTES = 64 * 1024 * 1024

type World = RemovalWorld &
  Pick<StageWorld, 'hashing' | 'station' | 'random' | 'newKey' | 'settings' | 'guard'>

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
  readonly #givesWay: () => boolean
  /** Of the service's last word on it. */
  #requestId: string | null = null

  /** `givesWay`: whether reading its content is put off, for those who wait to be read for the first time. */
  constructor(
    world: World,
    due: Due,
    service: ServiceClient,
    { signal, givesWay }: { readonly signal: AbortSignal; readonly givesWay: () => boolean },
  ) {
    this.#world = world
    this.#due = due
    this.#service = service
    this.#signal = signal
    this.#givesWay = givesWay
  }

  async run(): Promise<void> {
    const { journal } = this.#world
    const { recording, policy } = this.#due
    const outcome =
      (await this.#fileObjection()) ??
      (await this.#askFirst()) ??
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
    const objection = await targetObjection(this.#world, to)
    if (objection !== null) return objection
    const known = journal.removals.of(recording.id)
    const copied = known === null ? null : await this.#copiedBefore(known, to)
    const target = copied ?? (await freeName(this.#world, recording.path, this.#due.folder.path, to))
    if (target === null) return 'target-taken'
    if (copied === null) {
      const made = await acts.makeFolder(paths.resolve(target, '..'))
      if (made.kind !== 'done') return waitOf(made, 'target')
      if (await acts.sameDrive(recording.path, to)) return this.#rename(target)
      const failed = await this.#copyTo(target, to)
      if (failed !== null) return failed
    } else {
      // The copy holds what was uploaded; whether the file still does was not asked for it.
      const changed = await this.#contentObjection(recording.path, 'source')
      if (changed !== null) return changed
      this.#intendCopy(target, to)
    }
    const refused = await this.#ask()
    if (refused !== null) return refused
    const intent = journal.removals.of(recording.id)
    if (intent?.copy == null) return 'interrupted'
    // Minutes have passed, and the drive may have gone meanwhile.
    const later = await targetObjection(this.#world, to)
    if (later !== null) return later
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

  async #copyTo(target: string, to: string): Promise<Outcome | null> {
    const { acts } = this.#world
    const { recording } = this.#due
    const copy = this.#intendCopy(target, to)
    if (copy === null) return 'target-missing'
    const made = await acts.copy(recording.path, copy, recording.identity, this.#signal)
    if (made.kind !== 'done') return waitOf(made, made.kind === 'changed' ? 'file' : 'target')
    // The copy is what will be left: it is read back, and has to be what the service has.
    return this.#contentObjection(copy, 'copy')
  }

  /**
   * The file gets its other name, where nobody can open it by its path any more. Whoever had it open before may still
   * write: those who have it open now are seen as writers, and those who have closed it have changed its identity. Only a
   * file with no writer and the identity of right after the rename goes; any other gets its name back.
   */
  async #leave(intent: Removal): Promise<Outcome> {
    const { acts, files, journal } = this.#world
    const { recording } = this.#due
    const { aside, target, copy } = intent
    if (!this.#mayGo()) return 'interrupted'
    const set = await acts.setAside(recording.path, aside, recording.identity)
    if (set.kind !== 'done') return waitOf(set, 'file')
    const seen = await files.inspect(aside, 'anew')
    if (!seen.ok) return 'file-refused'
    if (seen.value.writer === 'open') return 'file-open'
    const freeBefore = this.#due.early ? await files.freeBytes(this.#due.folder.path) : null
    if (!this.#advanceIfMayGo()) return 'interrupted'
    const isRenamed = target !== null && copy === null
    const gone = await (isRenamed
      ? acts.place(aside, target, set.identity)
      : acts.remove(aside, set.identity))
    if (gone.kind !== 'done') return waitOf(gone, isRenamed ? 'target' : 'file')
    journal.removals.finish(recording, { ...intent, requestId: this.#requestId })
    this.#world.rescan(recording.folder)
    if (freeBefore !== null) await this.#lookForRoom(freeBefore)
    return 'over'
  }

  /** Together: a command that deletes the session may write that down while this one waits for its turn to write. */
  #advanceIfMayGo(): boolean {
    const { journal } = this.#world
    return journal.transaction(() => {
      if (!this.#mayGo()) return false
      journal.removals.advance(this.#due.recording.id, 'aside', this.#requestId)
      return true
    })
  }

  /** Snapshots and other names of a file keep its bytes: then others would go before their days for nothing. */
  async #lookForRoom(freeBefore: number): Promise<void> {
    const { files, journal, clock } = this.#world
    const { folder, recording } = this.#due
    const wantedBytes = roomWanted(freeBefore, recording.identity.sizeBytes)
    const free = await files.freeBytes(folder.path)
    if (free === null || free >= wantedBytes) return
    journal.transaction(() => {
      journal.station.setNoRoomMade(folder.path, { atMs: clock.wallMs(), wantedBytes })
      journal.activity.note({ kind: 'no-room-made', folder: folder.path })
    })
  }

  /** The name of the copy; null if the drive that it goes to is not known. */
  #intendCopy(target: string, to: string): string | null {
    const volume = this.#world.journal.station.targetVolume(to)
    if (volume === null) return null
    const copy = this.#nameBeside(target)
    this.#intend({ action: 'move', target, copy, archive: { folder: to, volume } })
    return copy
  }

  #intend(what: Pick<Intent, 'action' | 'target' | 'copy' | 'archive'>): Removal {
    const { journal } = this.#world
    const { recording, early } = this.#due
    const aside = this.#nameBeside(recording.path)
    journal.removals.intend(recording, { ...what, aside, early })
    const intent = journal.removals.of(recording.id)
    if (intent === null) throw new Error('an intent that is not in the journal')
    return intent
  }

  /** That no filter takes, and nobody else has. */
  #nameBeside(path: string): string {
    const { paths, newKey } = this.#world
    return paths.join(paths.resolve(path, '..'), asideName(newKey(), paths.nameOf(path)))
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

  #contentObjection(path: string, is: 'source' | 'copy'): Promise<Wait | null> {
    const [signal, givesWay] = [this.#signal, this.#givesWay]
    return contentObjection(this.#world, this.#due.recording, { path, is }, { signal, givesWay })
  }

  /** A copy that an earlier try has put in its place, which a kill then kept from being used. */
  async #copiedBefore(known: Removal, to: string): Promise<string | null> {
    const { target, copy } = known
    if (target === null || copy === null || known.action !== 'move') return null
    if (!this.#world.paths.contains(to, target)) return null
    const found = await this.#world.files.identify(target)
    if (!found.ok || sameInode(found.value, this.#due.recording.identity)) return null
    return (await this.#contentObjection(target, 'copy')) === null ? target : null
  }

  /** Hours of reading and copying are not begun for what the service would object to. It is asked again at the end. */
  async #askFirst(): Promise<Outcome | null> {
    return this.#due.recording.identity.sizeBytes < ASK_FIRST_FROM_BYTES ? null : this.#ask()
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
