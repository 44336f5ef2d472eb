import { done, type Failure, failed, isTrouble, type Outcome } from '../domain/failure.ts'
import { LONGEST_PROBE_DELAY_MS } from '../domain/retry-limits.ts'
import { backOffMs } from '../domain/retry-policy.ts'
import type { Recording } from '../journal/journal.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { RemoteSession, ServiceClient } from '../ports/service.ts'
import { ListWalk } from './list-walk.ts'
import { asSearchFailure, CLOCK_SLACK_MS, type FoundSessions, isAtSite, type Search } from './search.ts'
import { mayBeOf, retrieveUnshown, showsContent } from './unshown-content.ts'

/**
 * Hard case: The journal is lost, and Sluice must search for the sessions of thousands of recordings.
 * One walk over the site's list serves all of them.
 */

/** After this time, the index reads the list again, because unreadable sessions may have become readable. */
const REFRESH_AFTER_MS = 3_600_000

/**
 * The index reads the newest sessions at most this often. Otherwise, it would read them for each file that a user
 * copies.
 */
const MIN_UPDATE_INTERVAL_MS = 60_000

type WantedContent = Pick<Recording, 'name' | 'createBody' | 'identity' | 'foundAtMs'> & {
  readonly sha256: string
}

type World = { readonly clock: Clock; readonly random: Random }

/** Halves the size of a digest, because there may be a hundred thousand digests. */
const packDigest = (sha256: string): string => Buffer.from(sha256, 'hex').toString('latin1')

/** True if the next call may continue the walk at once, without a backoff. */
const isTemporary = (failure: Failure): boolean =>
  isTrouble(failure) || failure.kind === 'rate-limited' || failure.kind === 'cancelled'

/**
 * The sessions of a site by content. Use the index only for recordings without a creation request in this journal. A
 * different station may have uploaded the file before this station found it. So if the file was found after the last
 * walk began, the index first reads the newer sessions.
 */
export class SiteIndex {
  readonly #service: ServiceClient
  readonly #site: string
  readonly #world: World
  /** The index contains the sessions that were created since this time. Zero: all sessions. */
  readonly #fromMs: number
  #walk: ListWalk
  /** Session ids by content, separated by spaces. */
  readonly #ids = new Map<string, string>()
  readonly #unreadable = new Set<string>()
  /** Sessions that were listed without their SHA-256, by id. */
  readonly #unshown = new Map<string, Pick<RemoteSession, 'filename' | 'bytes'>>()
  #readAtMs = Number.NEGATIVE_INFINITY
  /** The start of the last walk. */
  #begunAt: { readonly wallMs: number; readonly monotonicMs: number }
  /** When the last walk started, by the service's clock. Sluice knows that clock only after an answer. */
  #begunAtServiceMs = 0
  #reading: Promise<Failure | null> | null = null
  #failures = 0
  #refusal: { readonly failure: Failure; readonly untilMs: number } | null = null

  constructor(service: ServiceClient, site: string, fromMs: number, world: World) {
    this.#service = service
    this.#site = site
    this.#world = world
    this.#fromMs = fromMs
    this.#walk = this.#walkFrom(fromMs)
    this.#begunAt = this.#now()
  }

  reachesBackTo(fromMs: number): boolean {
    return this.#fromMs <= fromMs
  }

  /** Finds all sessions with this content. A failure does not mean that there are none. */
  async sessionsWith(
    wanted: WantedContent,
    search: Search,
    signal: AbortSignal,
  ): Promise<Outcome<FoundSessions>> {
    const content = packDigest(wanted.sha256)
    const isOld = this.#walk.isOver && this.#ageMs() > REFRESH_AFTER_MS
    if (isOld && this.#unreadable.has(content)) this.#startOver()
    else if (this.#walk.isOver && this.#mayLackNewSessions(wanted)) this.#update()
    const failure = this.#walk.isOver ? null : await this.#readOnce(signal)
    if (failure !== null) return failed(failure)
    const unknown = this.#unreadable.has(content)
      ? unreadableSession
      : await this.#readUnshown(wanted, search, signal)
    return done({ ids: this.#ids.get(content)?.split(' ') ?? [], unknown })
  }

  /**
   * Retrieves sessions that were listed without their SHA-256, up to a limit per search. If a session still has no
   * SHA-256, it goes to the end of the queue.
   */
  #readUnshown(wanted: WantedContent, search: Search, signal: AbortSignal): Promise<Failure | null> {
    const candidates = [...this.#unshown].filter(([id, shown]) => mayBeOf(shown, wanted) && search.isFree(id))
    const ids = candidates.map(([id]) => id)
    return retrieveUnshown(ids, search, signal, (id, session) => {
      // A concurrent search may have retrieved the same session.
      if (this.#unshown.delete(id) && session !== null) this.#note(session)
    })
  }

  /**
   * Concurrent callers share one walk and its failure. A lasting failure also counts for later callers, until its
   * backoff ends.
   */
  #readOnce(signal: AbortSignal): Promise<Failure | null> {
    const refusal = this.#refusal
    if (refusal !== null && this.#world.clock.monotonicMs() < refusal.untilMs)
      return Promise.resolve(refusal.failure)
    this.#reading ??= this.#read(signal).finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #read(signal: AbortSignal): Promise<Failure | null> {
    const { clock, random } = this.#world
    while (!this.#walk.isOver) {
      const page = await this.#walk.next(signal)
      if (!page.ok) {
        const failure = asSearchFailure(page.failure)
        const failsAlone = failure.kind === 'search-failed'
        if (isTemporary(failure)) return failure
        this.#failures += 1
        const longestMs = failsAlone ? LONGEST_PROBE_DELAY_MS : undefined
        const untilMs = clock.monotonicMs() + backOffMs(this.#failures, random, longestMs)
        // During the backoff, Sluice sends no request. A stored error or timeout must not raise a condition, so store
        // `failure`, not `page.failure`.
        this.#refusal = { failure, untilMs }
        if (!failsAlone) this.#startOver()
        return page.failure
      }
      const { sessions, unreadableSha256 = [] } = page.value.value
      for (const session of sessions) this.#note(session)
      for (const sha256 of unreadableSha256) this.#unreadable.add(packDigest(sha256))
    }
    this.#failures = 0
    this.#readAtMs = clock.monotonicMs()
    this.#begunAtServiceMs = this.#service.nowMs() - (this.#readAtMs - this.#begunAt.monotonicMs)
    return null
  }

  #note(session: RemoteSession): void {
    if (!isAtSite(session, this.#site)) return
    const { id, sha256, filename, bytes } = session
    if (sha256 !== null && showsContent(session)) this.#add(packDigest(sha256), id)
    else this.#unshown.set(id, { filename, bytes })
  }

  #add(content: string, id: string): void {
    const ids = this.#ids.get(content)
    if (ids?.split(' ').includes(id)) return
    this.#ids.set(content, ids === undefined ? id : `${ids} ${id}`)
  }

  #mayLackNewSessions({ foundAtMs }: WantedContent): boolean {
    return foundAtMs > this.#begunAt.wallMs && this.#ageMs() > MIN_UPDATE_INTERVAL_MS
  }

  #update(): void {
    this.#walk = this.#walkFrom(Math.max(0, this.#begunAtServiceMs - CLOCK_SLACK_MS))
    this.#begunAt = this.#now()
  }

  #walkFrom(fromMs: number): ListWalk {
    const createdFrom = fromMs > 0 ? { createdFrom: new Date(fromMs).toISOString() } : {}
    return new ListWalk(this.#service, { site: this.#site, ...createdFrom })
  }

  #now(): { readonly wallMs: number; readonly monotonicMs: number } {
    const { clock } = this.#world
    return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() }
  }

  #ageMs(): number {
    return this.#world.clock.monotonicMs() - this.#readAtMs
  }

  #startOver(): void {
    this.#ids.clear()
    this.#unreadable.clear()
    this.#unshown.clear()
    this.#walk = this.#walkFrom(this.#fromMs)
    this.#begunAt = this.#now()
  }
}

const unreadableSession: Failure = {
  kind: 'unreadable-answer',
  detail: 'a listed session with the same content cannot be read',
  requestId: null,
}
