import { type Answer, badParameter, json, newId, type ServiceError } from './answer.ts'
import type { ServiceBehaviour } from './behaviour.ts'
import { Completion } from './completion.ts'
import { IdempotentAnswers } from './idempotent-answers.ts'
import type { Incoming } from './listener.ts'
import { parseNewSession } from './new-session.ts'
import type { Session, SessionStore } from './session-store.ts'

const notFound: ServiceError = {
  status: 404,
  type: 'not_found',
  code: 'not_found',
  message: 'There is no such object.',
}

/** The control API of the contract (§4, §5, §8). */
export class ControlApi {
  readonly #store: SessionStore
  readonly #behaviour: ServiceBehaviour
  readonly #answers = new IdempotentAnswers()
  readonly #completion: Completion
  readonly #storageUrl: () => string

  constructor(store: SessionStore, behaviour: ServiceBehaviour, storageUrl: () => string) {
    this.#store = store
    this.#behaviour = behaviour
    this.#storageUrl = storageUrl
    this.#completion = new Completion(store, behaviour, this.#answers, (session) => this.#view(session))
  }

  async handle(request: Incoming): Promise<Answer | ServiceError> {
    if (this.#behaviour.isKeyRevoked || request.headers.authorization !== `Bearer ${this.#behaviour.apiKey}`)
      return {
        status: 401,
        type: 'authentication',
        code: 'key_invalid',
        message: 'The key is missing, revoked or wrong.',
      }
    const [, version, collection, id, action, ...rest] = request.path.split('/')
    if (version !== 'v1' || rest.length > 0) return notFound
    if (collection === 'webhook_endpoints' && id === undefined && request.method === 'POST')
      return json(200, { id: newId('whe'), object: 'webhook_endpoint', secret: newId('whsec') })
    if (collection !== 'sessions') return notFound
    if (id === undefined)
      return request.method === 'POST'
        ? this.#runOnce(request, () => this.#create(request))
        : this.#list(request)
    const session = this.#store.find(id)
    if (session === null) return notFound
    if (action === 'complete' && request.method === 'POST')
      return this.#runOnce(request, (key) => this.#completion.run(session, request, key))
    if (action !== undefined) return notFound
    if (request.method === 'GET') return json(200, this.#view(session))
    if (request.method === 'DELETE') return this.#delete(session)
    return notFound
  }

  async #runOnce(
    request: Incoming,
    run: (key: string | null) => Promise<Answer | ServiceError> | Answer | ServiceError,
  ): Promise<Answer | ServiceError> {
    const key = request.idempotencyKey
    if (key === null) return run(null)
    const earlierAnswer = this.#answers.claim(
      key,
      `${request.method} ${request.path}\n${request.body.toString()}`,
    )
    if (earlierAnswer !== null) return earlierAnswer
    const answer = request.finish(await run(key))
    // After a timeout of the gateway, the service continues and stores its own answer later.
    if (answer.isFromGateway !== true) this.#answers.settle(key, answer)
    return answer
  }

  #create(request: Incoming): Answer | ServiceError {
    const input = parseNewSession(request.json())
    if ('status' in input) return input
    const session = this.#store.create(input)
    return json(200, {
      id: session.id,
      object: 'session',
      status: 'uploading',
      upload: this.#store.upload(session, this.#storageUrl()),
    })
  }

  #list({ query }: Incoming): Answer | ServiceError {
    const limit = Number(query.get('limit') ?? 50)
    if (!Number.isInteger(limit) || limit < 1 || limit > 500)
      return badParameter('limit', 'limit must be from 1 to 500.')
    const createdFrom = query.get('created[gte]')
    const createdBefore = query.get('created[lt]')
    const matches = [...this.#store.all.values()]
      .reverse()
      .filter((session) => !session.deleted)
      .filter(({ site }) => site === (query.get('site') ?? site))
      .filter(
        (session) => this.#store.status(session) === (query.get('status') ?? this.#store.status(session)),
      )
      .filter(({ createdAt }) => createdFrom === null || Date.parse(createdAt) >= Date.parse(createdFrom))
      .filter(({ createdAt }) => createdBefore === null || Date.parse(createdAt) < Date.parse(createdBefore))
    const start = Number(Buffer.from(query.get('cursor') ?? '', 'base64url').toString() || 0)
    const hasMore = matches.length > start + limit
    return json(200, {
      object: 'list',
      data: matches.slice(start, start + limit).map((session) => this.#viewWithoutUpload(session)),
      has_more: hasMore,
      ...(hasMore ? { next_cursor: Buffer.from(String(start + limit)).toString('base64url') } : {}),
    })
  }

  #delete(session: Session): Answer {
    session.deleted = true
    return json(200, { id: session.id, object: 'session', deleted: true })
  }

  #view(session: Session): object {
    const view = this.#viewWithoutUpload(session)
    return this.#store.status(session) === 'uploading'
      ? { ...view, upload: this.#store.upload(session, this.#storageUrl()) }
      : view
  }

  #viewWithoutUpload(session: Session): object {
    const { id, site, filename, bytes, sha256, device, notes, createdAt } = session
    const status = this.#store.status(session)
    return {
      id,
      object: 'session',
      site,
      filename,
      bytes,
      sha256,
      status,
      ...(device === undefined ? {} : { device }),
      ...(notes === undefined ? {} : { notes }),
      created_at: createdAt,
      issues: [],
      ...(status === 'processed'
        ? {
            processed_at: new Date(session.completedAt ?? 0).toISOString(),
            duration_s: 1.5,
            channels: ['camera/front'],
            segment_count: 3,
          }
        : {}),
    }
  }
}
