import { createHash } from 'node:crypto'
import type { Agent, OutgoingHttpHeaders } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { CreatedSession, Session, UploadPart } from '../../shared/contract/control-api.ts'
import { type RawAnswer, send } from './raw-http.ts'
import type { SandboxAddress } from './sandbox-process.ts'

export type CallOptions = {
  readonly key?: string | null
  readonly body?: unknown
  readonly raw?: string | Buffer
  readonly headers?: OutgoingHttpHeaders
}

export type UploadChoices = {
  readonly site?: string
  readonly filename?: string
  readonly partSizeBytes?: number
  readonly key?: string
}

export function sha256(bytes: Buffer, encoding: 'hex' | 'base64' = 'hex'): string {
  return createHash('sha256').update(bytes).digest(encoding)
}

/** A client of the sandbox that uses no code of the agent. */
export class Service {
  readonly sandbox: SandboxAddress
  readonly #agent: Agent | undefined

  constructor(sandbox: SandboxAddress, agent?: Agent) {
    this.sandbox = sandbox
    this.#agent = agent
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<RawAnswer> {
    const {
      key = this.sandbox.keys.write,
      body,
      raw = body === undefined ? undefined : JSON.stringify(body),
    } = options
    return send(
      {
        method,
        url: `${this.sandbox.baseUrl}${path}`,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(raw === undefined ? {} : { 'content-type': 'application/json' }),
          ...options.headers,
        },
        ...(raw === undefined ? {} : { body: raw }),
      },
      this.#agent,
    )
  }

  /** Calls the sandbox's control endpoint. */
  async operate(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const headers = { 'content-type': 'application/json', 'sluice-sandbox-control': '1' }
    const url = `${this.sandbox.controlUrl}${path}`
    const json = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await send({ method, url, headers, ...json }, this.#agent)
    expect(answer.status, answer.text.slice(0, 500)).toBe(200)
    return answer.json()
  }

  put(url: string, bytes: Buffer, headers: OutgoingHttpHeaders = {}): Promise<RawAnswer> {
    const checksum = { 'x-amz-checksum-sha256': sha256(bytes, 'base64') }
    return send({ method: 'PUT', url, body: bytes, headers: { ...checksum, ...headers } }, this.#agent)
  }

  async create(
    bytes: Buffer,
    choices: UploadChoices = {},
    headers: OutgoingHttpHeaders = {},
  ): Promise<CreatedSession> {
    const answer = await this.call('POST', '/v1/sessions', {
      body: newSession(bytes, choices),
      headers,
      ...(choices.key === undefined ? {} : { key: choices.key }),
    })
    expect(answer.status, answer.text.slice(0, 500)).toBe(200)
    return answer.json() as unknown as CreatedSession
  }

  /** Sends the given parts and returns their ETags by number. */
  async putParts(
    parts: readonly UploadPart[],
    bytes: Buffer,
    partSizeBytes: number,
  ): Promise<Map<number, string>> {
    const etags = new Map<number, string>()
    for (const { number, url } of parts) {
      const answer = await this.put(url, bytes.subarray((number - 1) * partSizeBytes, number * partSizeBytes))
      expect(answer.status, answer.text.slice(0, 500)).toBe(200)
      etags.set(number, answer.headers.etag!)
    }
    return etags
  }

  complete(id: string, etags: ReadonlyMap<number, string>, options: CallOptions = {}): Promise<RawAnswer> {
    const parts = [...etags].sort(([a], [b]) => a - b).map(([number, etag]) => ({ number, etag }))
    return this.call('POST', `/v1/sessions/${id}/complete`, { body: { parts }, ...options })
  }

  async retrieve(id: string): Promise<Session> {
    const answer = await this.call('GET', `/v1/sessions/${id}`)
    expect(answer.status, answer.text.slice(0, 500)).toBe(200)
    return answer.json() as unknown as Session
  }

  /** Creates a session, sends its parts and completes it. */
  async upload(bytes: Buffer, choices: UploadChoices = {}): Promise<string> {
    const created = await this.create(bytes, choices)
    const etags = await this.putParts(created.upload.parts, bytes, created.upload.part_size)
    const answer = await this.complete(created.id, etags)
    expect(answer.status, answer.text.slice(0, 500)).toBe(200)
    return created.id
  }

  /** Polls until every stored file belongs to a part. */
  async waitUntilNoOrphans(): Promise<void> {
    while ((await this.operate('GET', '/files')).orphans !== 0) await delay(10)
  }

  /** Polls until processing is over. Only the timeout of the test limits the wait. */
  async waitUntilProcessed(id: string): Promise<Session> {
    for (;;) {
      const session = await this.retrieve(id)
      if (session.status === 'processed' || session.status === 'failed') return session
      await delay(10)
    }
  }
}

export const smallPart = 1_000

export function newSession(bytes: Buffer, choices: UploadChoices = {}) {
  return {
    site: choices.site ?? 'hall-1',
    filename: choices.filename ?? 'run.bin',
    bytes: bytes.length,
    sha256: sha256(bytes),
    part_size: choices.partSizeBytes ?? smallPart,
  }
}

/** Pseudo-random bytes, the same for the same seed. */
export function patterned(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed * 2_654_435_761
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = state >>> 24
  }
  return bytes
}

/** Expects a complete error object (§7). */
export function expectError(
  answer: RawAnswer,
  status: number,
  type: string,
  code?: string,
  param?: string,
): void {
  expect(answer.status, answer.text.slice(0, 500)).toBe(status)
  const { error } = answer.json() as { error: Record<string, string> }
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'request_id', 'type'])
  for (const text of Object.values(error)) expect(text).toBeTypeOf('string')
  expect(error.type).toBe(type)
  expect(error.message).not.toBe('')
  expect(error.request_id).toBe(answer.headers['request-id'])
  if (code !== undefined) expect(error.code).toBe(code)
  if (param !== undefined) expect(error.param).toBe(param)
}

/** Expects an error in the storage's format. */
export function expectStorageError(answer: RawAnswer, status: number, code: string): void {
  expect(answer.status, answer.text.slice(0, 500)).toBe(status)
  expect(answer.headers['content-type']).toBe('application/xml')
  expect(answer.text).toMatch(
    /<Error><Code>\w+<\/Code><Message>[^<]+<\/Message><RequestId>req_\w+<\/RequestId>/,
  )
  expect(/<Code>(\w+)</.exec(answer.text)?.[1]).toBe(code)
}
