import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Session, UploadPart } from '../../../shared/contract/control-api.ts'
import { type RawAnswer, send } from '../../contract/raw-http.ts'
import { newSession, sha256 } from '../../contract/service.ts'

const retryDelayMs = 50

/**
 * Uploads as the contract requires. Like a station, it retries a request if the answer is missing, is a 5xx, or says
 * that the same request is still in progress.
 */
export class RetryingClient {
  readonly #baseUrl: string
  readonly #key: string

  constructor(baseUrl: string, key: string) {
    this.#baseUrl = baseUrl
    this.#key = key
  }

  /** Uploads the bytes and returns the ID of the complete session. */
  async upload(bytes: Buffer, filename: string, partSizeBytes?: number): Promise<string> {
    const fields = partSizeBytes === undefined ? { filename } : { filename, partSizeBytes }
    const created = await this.call('POST', '/v1/sessions', newSession(bytes, fields))
    const { id, upload } = created.json() as {
      id: string
      upload: { parts: UploadPart[]; part_size: number }
    }
    const etags: string[] = []
    for (const { number, url } of upload.parts) {
      const part = bytes.subarray((number - 1) * upload.part_size, number * upload.part_size)
      etags.push(await this.#put(url, part))
    }
    const parts = etags.map((etag, index) => ({ number: index + 1, etag }))
    await this.call('POST', `/v1/sessions/${id}/complete`, { parts })
    return id
  }

  async waitUntilProcessed(id: string): Promise<Session> {
    for (;;) {
      const session = (await this.call('GET', `/v1/sessions/${id}`)).json() as unknown as Session
      if (session.status === 'processed' || session.status === 'failed') return session
      await delay(retryDelayMs)
    }
  }

  /** Retries with the same Idempotency-Key until the service answers 200. Throws if the service refuses the request. */
  async call(method: string, path: string, body?: unknown): Promise<RawAnswer> {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    }
    const bodyOption = body === undefined ? {} : { body: JSON.stringify(body) }
    for (;;) {
      const answer = await send({ method, url: `${this.#baseUrl}${path}`, headers, ...bodyOption }).catch(
        () => null,
      )
      if (answer?.status === 200) return answer
      const isRetryable = answer === null || answer.status >= 500 || isInProgress(answer)
      if (!isRetryable) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      await delay(retryDelayMs)
    }
  }

  async #put(url: string, part: Buffer): Promise<string> {
    const headers = { 'x-amz-checksum-sha256': sha256(part, 'base64') }
    for (;;) {
      const answer = await send({ method: 'PUT', url, headers, body: part }).catch(() => null)
      if (answer?.status === 200) return answer.headers.etag!
      if (answer !== null && answer.status < 500) throw new Error(`PUT part: ${answer.status} ${answer.text}`)
      await delay(retryDelayMs)
    }
  }
}

const isInProgress = (answer: RawAnswer): boolean =>
  answer.status === 409 && /"code":"(idempotency|completion)_in_progress"/.test(answer.text)
