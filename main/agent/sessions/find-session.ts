import { done, type Failure, type Outcome } from '../domain/failure.ts'
import { mtimeMsOf } from '../domain/file-identity.ts'
import type { Recording } from '../journal/journal.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { RemoteSession, ServiceClient } from '../ports/service.ts'
import { ListWalk } from './list-walk.ts'
import { CLOCK_SLACK_MS, type FoundSessions, isAtSite, type Search } from './search.ts'
import { SiteIndex } from './site-index.ts'
import { mayBeOf, mayHaveNameOf, retrieveUnshown, showsContent } from './unshown-content.ts'

/** After this time without use, Sluice drops an index to free memory. */
const INDEX_IDLE_MS = 3_600_000

/**
 * An index reads this much further back than needed. Otherwise, a small change of the clock offset would require a new
 * index.
 */
const OFFSET_MARGIN_MS = 3_600_000

type World = { readonly clock: Clock; readonly random: Random }

/**
 * The earliest time at which the recording's session may have been created. Null if the time of the creation request is
 * unknown or in the future: the search then reads the list of the whole site.
 */
const earliestCreation = ({ createKeyServiceMs }: Recording, service: ServiceClient): number | null => {
  if (createKeyServiceMs === null || createKeyServiceMs > service.nowMs()) return null
  return Math.max(0, createKeyServiceMs - CLOCK_SLACK_MS)
}

/** The earliest time at which a file with this mtime may have been uploaded, by the service's clock. */
const earliestUpload = (mtimeMs: number, service: ServiceClient): number =>
  Math.max(0, mtimeMs + Math.min(0, service.clockOffsetMs() ?? 0) - CLOCK_SLACK_MS)

/**
 * Finds sessions that an earlier request may have created for a recording's content (§4.5). The search fails if Sluice
 * cannot read the list of sessions to its end.
 */
export class SessionFinder {
  readonly #world: World
  #service: ServiceClient | null = null
  readonly #indexes = new Map<string, { readonly index: SiteIndex; usedAtMs: number }>()

  constructor(world: World) {
    this.#world = world
  }

  find(recording: Recording, search: Search, signal: AbortSignal): Promise<Outcome<FoundSessions>> {
    const { sha256, createKey, createKeyAtMs } = recording
    if (sha256 === null) throw new Error('search without a digest')
    // If no session was ever requested, the mtime limits the search. All these recordings of a site share one index.
    const wasNeverRequested = createKey === null && createKeyAtMs === null
    return wasNeverRequested
      ? this.#findInIndex({ ...recording, sha256 }, search, signal)
      : this.#findSinceCreation(recording, search, signal)
  }

  async #findInIndex(
    recording: Recording & { readonly sha256: string },
    search: Search,
    signal: AbortSignal,
  ): Promise<Outcome<FoundSessions>> {
    const index = this.#indexOf(recording, search)
    const found = await index.sessionsWith(recording, search, signal)
    if (signal.aborted) return found
    // Sluice knows the service's clock only after an answer. If that clock is behind, the index must reach further
    // back.
    const neededIndex = this.#indexOf(recording, search)
    return neededIndex === index ? found : neededIndex.sessionsWith(recording, search, signal)
  }

  forgetUnused(): void {
    const nowMs = this.#world.clock.monotonicMs()
    for (const [site, { usedAtMs }] of this.#indexes)
      if (nowMs - usedAtMs > INDEX_IDLE_MS) this.#indexes.delete(site)
  }

  #indexOf({ site, identity }: Recording, { service, oldestMtimeMs }: Search): SiteIndex {
    // An index is valid only for one service and key.
    if (service !== this.#service) this.#indexes.clear()
    this.#service = service
    const usedAtMs = this.#world.clock.monotonicMs()
    // An mtime in the future is wrong, so use the current time instead.
    const mtimeMs = Math.min(mtimeMsOf(identity), this.#world.clock.wallMs())
    const neededFromMs = oldestMtimeMs === null ? 0 : earliestUpload(mtimeMs, service)
    const existing = this.#indexes.get(site)
    if (existing?.index.reachesBackTo(neededFromMs)) {
      existing.usedAtMs = usedAtMs
      return existing.index
    }
    const oldestMs = oldestMtimeMs === null ? 0 : earliestUpload(Math.min(oldestMtimeMs(), mtimeMs), service)
    const index = new SiteIndex(service, site, Math.max(0, oldestMs - OFFSET_MARGIN_MS), this.#world)
    this.#indexes.set(site, { index, usedAtMs })
    return index
  }

  async #findSinceCreation(
    recording: Recording,
    search: Search,
    signal: AbortSignal,
  ): Promise<Outcome<FoundSessions>> {
    const { service, isFree } = search
    const { site, sha256 } = recording
    const fromMs = earliestCreation(recording, service)
    const createdFrom = fromMs === null ? undefined : new Date(fromMs).toISOString()
    const walk = new ListWalk(service, { site, ...(createdFrom === undefined ? {} : { createdFrom }) })
    const matching: RemoteSession[] = []
    const unshownIds: string[] = []
    let unknown: Failure | null = null
    while (!walk.isOver) {
      const page = await walk.next(signal)
      if (!page.ok) return page
      const { sessions, unreadableSha256 = [] } = page.value.value
      for (const session of sessions.filter((listed) => isFree(listed.id) && isAtSite(listed, site)))
        if (session.sha256 === sha256) matching.push(session)
        else if (!showsContent(session) && mayBeOf(session, recording)) unshownIds.push(session.id)
      // An unreadable session may belong to the recording. A new session would then be a duplicate.
      if (sha256 !== null && unreadableSha256.includes(sha256)) {
        const detail = 'a listed session with the same content cannot be read'
        unknown = { kind: 'unreadable-answer', detail, requestId: page.value.requestId }
      }
    }
    if (unknown === null && !matching.some((session) => mayHaveNameOf(session, recording)))
      unknown = await retrieveUnshown(unshownIds, search, signal, (_, session) => {
        if (session?.sha256 === sha256) matching.push(session)
      })
    return done({ ids: matching.map(({ id }) => id), unknown })
  }
}
