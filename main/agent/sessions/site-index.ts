import { done, type Failure, failed, isTrouble, type Outcome } from '../domain/failure.ts'
import { backOffMs } from '../domain/retry-policy.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { ServiceClient } from '../ports/service.ts'
import { ListWalk } from './list-walk.ts'

/** What cannot be read may be readable by then. */
const READ_AGAIN_MS = 3_600_000

type World = { readonly clock: Pick<Clock, 'monotonicMs'>; readonly random: Random }

/** Half the size of the hex digits: there may be a hundred thousand of them. */
const packed = (sha256: string): string => Buffer.from(sha256, 'hex').toString('latin1')

/** The failures after which the same walk can go on. */
const passes = (failure: Failure): boolean =>
  isTrouble(failure) || failure.kind === 'rate-limited' || failure.kind === 'cancelled'

/**
 * All sessions of a site by their content. After the loss of a journal every recording has to be looked up: one walk
 * over the list serves them all. Sessions made after the walk are missing here, so only recordings whose creation the
 * journal has never asked for may rely on it.
 */
export class SiteIndex {
  readonly #service: ServiceClient
  readonly #site: string
  readonly #world: World
  #walk: ListWalk
  /** Session ids by content, separated by spaces. */
  readonly #ids = new Map<string, string>()
  readonly #unreadable = new Set<string>()
  #readAtMs = Number.NEGATIVE_INFINITY
  #underWay: Promise<Failure | null> | null = null
  #failures = 0
  #refusal: { readonly failure: Failure; readonly untilMs: number } | null = null

  constructor(service: ServiceClient, site: string, world: World) {
    this.#service = service
    this.#site = site
    this.#world = world
    this.#walk = new ListWalk(service, { site })
  }

  /** The ids of all sessions with this content. A failure says nothing about whether there is one. */
  async sessionsWith(sha256: string, signal: AbortSignal): Promise<Outcome<readonly string[]>> {
    const isOld = this.#walk.isOver && this.#ageMs() > READ_AGAIN_MS
    if (isOld && this.#unreadable.has(packed(sha256))) this.#startOver()
    const failure = this.#walk.isOver ? null : await this.#readOnce(signal)
    if (failure !== null) return failed(failure)
    if (this.#unreadable.has(packed(sha256))) return failed(unreadable)
    return done(this.#ids.get(packed(sha256))?.split(' ') ?? [])
  }

  /** Whoever asks meanwhile waits for the same walk, and hears of the same failure. */
  #readOnce(signal: AbortSignal): Promise<Failure | null> {
    const refusal = this.#refusal
    if (refusal !== null && this.#world.clock.monotonicMs() < refusal.untilMs)
      return Promise.resolve(refusal.failure)
    this.#underWay ??= this.#read(signal).finally(() => {
      this.#underWay = null
    })
    return this.#underWay
  }

  async #read(signal: AbortSignal): Promise<Failure | null> {
    const { clock, random } = this.#world
    while (!this.#walk.isOver) {
      const page = await this.#walk.next(signal)
      if (!page.ok) {
        if (passes(page.failure)) return page.failure
        this.#failures += 1
        const untilMs = clock.monotonicMs() + backOffMs(this.#failures, random)
        this.#refusal = { failure: page.failure, untilMs }
        this.#startOver()
        return page.failure
      }
      const { sessions, unreadableSha256 = [] } = page.value.value
      for (const { id, sha256 } of sessions) if (sha256 !== null) this.#add(packed(sha256), id)
      for (const sha256 of unreadableSha256) this.#unreadable.add(packed(sha256))
    }
    this.#failures = 0
    this.#readAtMs = clock.monotonicMs()
    return null
  }

  #add(content: string, id: string): void {
    const known = this.#ids.get(content)
    this.#ids.set(content, known === undefined ? id : `${known} ${id}`)
  }

  #ageMs(): number {
    return this.#world.clock.monotonicMs() - this.#readAtMs
  }

  #startOver(): void {
    this.#ids.clear()
    this.#unreadable.clear()
    this.#walk = new ListWalk(this.#service, { site: this.#site })
  }
}

const unreadable: Failure = {
  kind: 'unreadable-answer',
  detail: 'a listed session with the same content cannot be read',
  requestId: null,
}
