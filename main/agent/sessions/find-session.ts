import { done, failed, type Outcome } from '../domain/failure.ts'
import type { Recording } from '../journal/journal.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { ServiceClient } from '../ports/service.ts'
import { ListWalk } from './list-walk.ts'
import { SiteIndex } from './site-index.ts'

/**
 * `created` is the service's time, the journal's is this PC's, whose clock may have been wrong when the request was
 * made: by an hour, or by a time zone. A bound that is too late hides the session and makes a twin; one that is too
 * early only costs pages.
 */
const CLOCK_SLACK_MS = 26 * 3_600_000
/** An index that nobody asks takes memory for nothing. */
const FORGET_INDEX_MS = 3_600_000

type World = { readonly clock: Clock; readonly random: Random }

type Search = {
  readonly service: ServiceClient
  /** Whether no recording of this station has the session. */
  readonly isFree: (sessionId: string) => boolean
}

/** Null where nothing is known: then the whole site is read. */
const earliestCreation = (
  { createKeyAtMs }: Recording,
  service: ServiceClient,
  nowMs: number,
): number | null => {
  const offsetMs = service.clockOffsetMs()
  if (createKeyAtMs === null || offsetMs === null || createKeyAtMs > nowMs) return null
  return Math.max(0, createKeyAtMs + Math.min(offsetMs, 0) - CLOCK_SLACK_MS)
}

/**
 * Finds the sessions of a recording by its content (§4.5), where a session was made or may have been made. Only a list
 * that was read to its end says that there is none: everything else is a failure, and the recording waits.
 */
export class SessionFinder {
  readonly #world: World
  #service: ServiceClient | null = null
  readonly #indexes = new Map<string, { readonly index: SiteIndex; usedAtMs: number }>()

  constructor(world: World) {
    this.#world = world
  }

  /** The ids of sessions that hold the recording's content and may be its own. */
  find(
    recording: Recording,
    { service, isFree }: Search,
    signal: AbortSignal,
  ): Promise<Outcome<readonly string[]>> {
    const { sha256, createKey, createKeyAtMs } = recording
    if (sha256 === null) throw new Error('looked up without a digest')
    // This journal has never asked for it: whatever there is was made before the journal, and before any walk of it.
    const isOlderThanJournal = createKey === null && createKeyAtMs === null
    return isOlderThanJournal
      ? this.#indexOf(recording.site, service).sessionsWith(sha256, signal)
      : this.#findSinceCreation(recording, { service, isFree }, signal)
  }

  forgetUnused(): void {
    const nowMs = this.#world.clock.monotonicMs()
    for (const [site, { usedAtMs }] of this.#indexes)
      if (nowMs - usedAtMs > FORGET_INDEX_MS) this.#indexes.delete(site)
  }

  #indexOf(site: string, service: ServiceClient): SiteIndex {
    // Another connection may be another service, or another key.
    if (service !== this.#service) this.#indexes.clear()
    this.#service = service
    const usedAtMs = this.#world.clock.monotonicMs()
    const known = this.#indexes.get(site)
    const index = known?.index ?? new SiteIndex(service, site, this.#world)
    this.#indexes.set(site, { index, usedAtMs })
    return index
  }

  async #findSinceCreation(
    recording: Recording,
    { service, isFree }: Search,
    signal: AbortSignal,
  ): Promise<Outcome<readonly string[]>> {
    const { site, sha256, name, identity } = recording
    const fromMs = earliestCreation(recording, service, this.#world.clock.wallMs())
    const createdFrom = fromMs === null ? undefined : new Date(fromMs).toISOString()
    const walk = new ListWalk(service, { site, ...(createdFrom === undefined ? {} : { createdFrom }) })
    while (!walk.isOver) {
      const page = await walk.next(signal)
      if (!page.ok) return page
      const { sessions, unreadableSha256 = [] } = page.value.value
      const found = sessions.find(
        (session) =>
          session.sha256 === sha256 &&
          session.bytes === identity.sizeBytes &&
          session.filename === name &&
          isFree(session.id),
      )
      if (found !== undefined) return done([found.id])
      // It may be the recording's own: a second one would be a twin.
      if (sha256 !== null && unreadableSha256.includes(sha256)) {
        const detail = 'a listed session with the same content cannot be read'
        return failed({ kind: 'unreadable-answer', detail, requestId: page.value.requestId })
      }
    }
    return done([])
  }
}
