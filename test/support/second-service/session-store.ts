import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createReadStream, writeFileSync } from 'node:fs'
import path from 'node:path'
import { newId } from './answer.ts'
import type { ServiceBehaviour } from './behaviour.ts'

export type NewSession = {
  readonly site: string
  readonly filename: string
  readonly bytes: number
  readonly sha256: string
  readonly part_size: number
  readonly device?: string
  readonly notes?: string
}

type StoredPart = { readonly file: string; readonly etag: string; readonly bytes: number }

export type Session = NewSession & {
  readonly id: string
  readonly createdAt: string
  readonly parts: Map<number, StoredPart>
  /** The status that a GET returns while a completion is in progress. Null if no completion is in progress. */
  statusDuringCompletion: 'uploading' | 'processing' | null
  completedAt: number | null
  deleted: boolean
}

const urlLifetimeMs = 15 * 60_000

/** Keeps sessions in memory, and the bytes of their parts in a folder. */
export class SessionStore {
  readonly all = new Map<string, Session>()
  readonly #folder: string
  readonly #behaviour: ServiceBehaviour
  readonly #signingKey = randomBytes(32)

  constructor(folder: string, behaviour: ServiceBehaviour) {
    this.#folder = folder
    this.#behaviour = behaviour
  }

  /** Reads `processingMs` at each call, so that a test can end the processing by changing this value. */
  status(session: Session): 'uploading' | 'processing' | 'processed' {
    if (session.statusDuringCompletion !== null) return session.statusDuringCompletion
    if (session.completedAt === null) return 'uploading'
    return Date.now() < session.completedAt + this.#behaviour.processingMs ? 'processing' : 'processed'
  }

  find(id: string): Session | null {
    const session = this.all.get(id)
    return session === undefined || session.deleted ? null : session
  }

  create(input: NewSession): Session {
    const session: Session = {
      ...input,
      id: newId('ses'),
      createdAt: new Date().toISOString(),
      parts: new Map(),
      statusDuringCompletion: null,
      completedAt: null,
      deleted: false,
    }
    this.all.set(session.id, session)
    return session
  }

  partCount(session: Session): number {
    return Math.max(1, Math.ceil(session.bytes / session.part_size))
  }

  partBytes(session: Session, number: number): number {
    return Math.min(session.part_size, session.bytes - (number - 1) * session.part_size)
  }

  /** §4.4: only the missing parts, with fresh URLs. */
  upload(session: Session, storageUrl: string): object {
    const expiresAtMs = Date.now() + urlLifetimeMs
    const numbers = Array.from({ length: this.partCount(session) }, (_, index) => index + 1)
    return {
      part_size: session.part_size,
      expires_at: new Date(expiresAtMs).toISOString(),
      parts: numbers
        .filter((number) => !session.parts.has(number))
        .map((number) => ({
          number,
          url: `${storageUrl}/bucket/${session.id}/${number}?expires=${expiresAtMs}&signature=${this.#sign(session.id, number, expiresAtMs)}`,
        })),
    }
  }

  isSigned(id: string, number: number, query: URLSearchParams): boolean {
    const expiresAtMs = Number(query.get('expires'))
    return expiresAtMs > Date.now() && query.get('signature') === this.#sign(id, number, expiresAtMs)
  }

  storePart(session: Session, number: number, body: Buffer): string {
    const file = path.join(this.#folder, `${session.id}-${number}`)
    writeFileSync(file, body)
    // An opaque ETag, which a client cannot compute from the part.
    const etag = `"${createHmac('sha256', this.#signingKey).update(body).digest('hex').slice(0, 24)}-o"`
    session.parts.set(number, { file, etag, bytes: body.length })
    return etag
  }

  async sha256(session: Session): Promise<string> {
    const hash = createHash('sha256')
    for (let number = 1; number <= this.partCount(session); number += 1) {
      const part = session.parts.get(number)
      if (part === undefined) return 'incomplete'
      for await (const chunk of createReadStream(part.file)) hash.update(chunk)
    }
    return hash.digest('hex')
  }

  #sign(id: string, number: number, expiresAtMs: number): string {
    return createHmac('sha256', this.#signingKey).update(`${id}/${number}/${expiresAtMs}`).digest('hex')
  }
}
