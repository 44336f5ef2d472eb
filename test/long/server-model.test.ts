import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Session, UploadPart } from '../../shared/contract/control-api.ts'
import { type RawAnswer, send } from '../contract/raw-http.ts'
import { newSession, patterned, sha256 } from '../contract/service.ts'
import { Instances } from '../support/back-ends/instances.ts'
import { postgresql } from '../support/back-ends/postgres.ts'
import { needs } from '../support/needs.ts'
import type { ServerProcess } from '../support/server-process.ts'

const partSizeBytes = 1_000
const partCount = 3
const retryMs = 20

/** One operation of a station. `session` is the index of the session in the station's list. */
type Operation =
  | { readonly kind: 'create' | 'list' | 'kill' }
  | { readonly kind: 'part'; readonly session: number; readonly number: number; readonly wrong: boolean }
  | { readonly kind: (typeof ofSession)[number]; readonly session: number }

/** `upload` sends every part. `race` completes and deletes the session at the same time. */
const ofSession = ['upload', 'complete', 'complete-twice', 'delete', 'race', 'retrieve'] as const

const session = fc.nat(2)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'create' as const }) },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('part' as const),
      session,
      number: fc.integer({ min: 1, max: partCount }),
      wrong: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  { weight: 14, arbitrary: fc.record({ kind: fc.constantFrom(...ofSession), session }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'list' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'kill' as const }) },
)

const operations = fc.array(operation, { minLength: 10, maxLength: 30 })

/** What the contract promises about one session. `parts` has the bytes that the service confirmed. */
type ModelSession = {
  readonly id: string
  readonly bytes: Buffer
  readonly urls: ReadonlyMap<number, string>
  readonly parts: Map<number, { readonly bytes: Buffer; readonly etag: string }>
  state: 'uploading' | 'completed' | 'deleted'
}

/** A station with its own organisation, so that it knows every session in the organisation's list. */
class Station {
  readonly #key: string
  readonly #instances: () => readonly ServerProcess[]
  readonly #kill: () => Promise<void>
  readonly #sessions: ModelSession[] = []
  #requests = 0

  constructor(key: string, instances: () => readonly ServerProcess[], kill: () => Promise<void>) {
    this.#key = key
    this.#instances = instances
    this.#kill = kill
  }

  async run(one: Operation): Promise<void> {
    switch (one.kind) {
      case 'create':
        return this.#create()
      case 'list':
        return this.#list()
      case 'kill':
        return this.#kill()
      default: {
        const chosen = this.#sessions[one.session]
        if (chosen === undefined) return
        return this.#runOn(chosen, one)
      }
    }
  }

  async #runOn(chosen: ModelSession, one: Extract<Operation, { session: number }>): Promise<void> {
    switch (one.kind) {
      case 'part':
        return this.#putPart(chosen, one.number, one.wrong)
      case 'upload':
        for (let number = 1; number <= partCount; number += 1) await this.#putPart(chosen, number, false)
        return
      case 'complete':
      case 'complete-twice':
        return this.#complete(chosen, one.kind === 'complete-twice')
      case 'delete':
        return this.#delete(chosen)
      case 'race':
        return this.#race(chosen)
      case 'retrieve':
        return this.#retrieve(chosen)
      default:
        return one satisfies never
    }
  }

  /** Compares everything with the model. Then deletes all sessions, because the next run uses the same key again. */
  async end(): Promise<void> {
    for (const each of this.#sessions) await this.#retrieve(each)
    await this.#list()
    for (const each of this.#sessions) await this.#delete(each)
    await this.#list()
  }

  async #create(): Promise<void> {
    const bytes = patterned(partCount * partSizeBytes, this.#sessions.length + 1)
    const { answer } = await this.#call('POST', '/v1/sessions', newSession(bytes, { partSizeBytes }))
    expect(answer.status).toBe(200)
    const { id, upload } = answer.json() as { id: string; upload: { parts: UploadPart[] } }
    const urls = new Map(
      upload.parts.map(({ number, url }) => [number, new URL(url).pathname + new URL(url).search]),
    )
    this.#sessions.push({ id, bytes, urls, parts: new Map(), state: 'uploading' })
  }

  async #putPart(chosen: ModelSession, number: number, wrong: boolean): Promise<void> {
    const right = chosen.bytes.subarray((number - 1) * partSizeBytes, number * partSizeBytes)
    const body = wrong ? patterned(partSizeBytes, 99) : right
    const { answer } = await this.#send(({ partsUrl }) => ({
      method: 'PUT',
      url: `${partsUrl}${chosen.urls.get(number)}`,
      headers: { 'x-amz-checksum-sha256': sha256(body, 'base64') },
      body,
    }))
    const known = chosen.parts.get(number)
    if (chosen.state === 'deleted') expect(answer.status).toBe(404)
    // A completed session takes no new bytes, but the service may still confirm a part that it already has.
    else if (chosen.state === 'completed') expect([200, 409]).toContain(answer.status)
    else {
      expect(answer.status).toBe(200)
      if (known?.bytes.equals(body)) expect(answer.headers.etag).toBe(known.etag)
      chosen.parts.set(number, { bytes: body, etag: answer.headers.etag! })
    }
  }

  async #complete(chosen: ModelSession, twice: boolean): Promise<void> {
    const complete = () => this.#sendCompletion(chosen)
    const answers = await Promise.all(twice ? [complete(), complete()] : [complete()])
    const statuses = answers.map(({ answer }) => answer.status).sort()
    const stored = Buffer.concat(
      [1, 2, 3].map((number) => chosen.parts.get(number)?.bytes ?? Buffer.alloc(0)),
    )
    if (chosen.state === 'deleted') expect(new Set(statuses)).toEqual(new Set([404]))
    else if (chosen.state === 'uploading' && stored.equals(chosen.bytes)) {
      expect(statuses).toEqual(twice ? [200, 409] : [200])
      chosen.state = 'completed'
    } else expect(new Set(statuses)).toEqual(new Set([409]))
  }

  #sendCompletion(chosen: ModelSession) {
    const parts = [1, 2, 3].map((number) => ({ number, etag: chosen.parts.get(number)?.etag ?? '"none"' }))
    return this.#call('POST', `/v1/sessions/${chosen.id}/complete`, { parts })
  }

  /** The completion may win or lose, but the session is deleted afterwards. */
  async #race(chosen: ModelSession): Promise<void> {
    const [{ answer }] = await Promise.all([this.#sendCompletion(chosen), this.#delete(chosen)])
    expect([200, 404, 409]).toContain(answer.status)
  }

  async #delete(chosen: ModelSession): Promise<void> {
    const { answer, unanswered } = await this.#call('DELETE', `/v1/sessions/${chosen.id}`)
    // After a request without an answer, the session may already be deleted.
    const expected = chosen.state === 'deleted' ? [404] : unanswered ? [200, 404] : [200]
    expect(expected).toContain(answer.status)
    chosen.state = 'deleted'
  }

  async #retrieve(chosen: ModelSession): Promise<void> {
    const { answer } = await this.#call('GET', `/v1/sessions/${chosen.id}`)
    if (chosen.state === 'deleted') return expect(answer.status).toBe(404)
    expect(answer.status).toBe(200)
    const shown = answer.json() as unknown as Session & { upload?: { parts: UploadPart[] } }
    if (chosen.state === 'completed') return expect(['processing', 'processed']).toContain(shown.status)
    const missing = [1, 2, 3].filter((number) => !chosen.parts.has(number))
    expect([shown.status, shown.upload?.parts.map(({ number }) => number)]).toEqual(['uploading', missing])
  }

  async #list(): Promise<void> {
    const { answer } = await this.#call('GET', '/v1/sessions?limit=500')
    const present = this.#sessions.filter(({ state }) => state !== 'deleted').map(({ id }) => id)
    expect((answer.json().data as Session[]).map(({ id }) => id)).toEqual(present.reverse())
  }

  #call(method: string, path: string, body?: unknown) {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    }
    const raw = body === undefined ? {} : { body: JSON.stringify(body) }
    return this.#send(({ baseUrl }) => ({ method, url: `${baseUrl}${path}`, headers, ...raw }))
  }

  /** Sends the request to one instance after another, until one of them gives a final answer. */
  async #send(
    request: (instance: ServerProcess) => Parameters<typeof send>[0],
  ): Promise<{ answer: RawAnswer; unanswered: boolean }> {
    for (let unanswered = false; ; unanswered = true) {
      const running = this.#instances()
      this.#requests += 1
      const instance = running[this.#requests % running.length]!
      const answer = await send(request(instance)).catch(() => null)
      // An earlier request still holds the Idempotency-Key or the completion. It is in progress, or PostgreSQL has not
      // yet noticed that its instance was killed.
      const busy = answer?.status === 409 && /"code":"(idempotency|completion)_in_progress"/.test(answer.text)
      if (answer !== null && answer.status < 500 && !busy) return { answer, unanswered }
      await delay(retryMs)
    }
  }
}

describe('two instances', needs(postgresql), () => {
  test('keep the contract in any order of requests while they are killed', async () => {
    const instances = await Instances.open()
    onTestFinished(() => instances.close())
    await instances.start()
    await instances.start()
    const keys = await Promise.all(['One', 'Two', 'Three'].map((name) => instances.newKey(name)))
    let killing: Promise<void> = Promise.resolve()
    const kill = () => {
      killing = killing.then(async () => {
        await instances.kill(instances.running[0]!)
        await instances.start()
      })
      return killing
    }
    await fc.assert(
      fc.asyncProperty(fc.tuple(operations, operations, operations), async (operationsByStation) => {
        const stations = keys.map((key) => new Station(key, () => instances.running, kill))
        await Promise.all(
          stations.map(async (station, index) => {
            await station.run({ kind: 'create' })
            for (const one of operationsByStation[index]!) await station.run(one)
          }),
        )
        for (const station of stations) await station.end()
      }),
      { numRuns: 20, endOnFailure: true },
    )
  })
})
