import { type IdempotencyStore, idempotencyStore } from './idempotency.ts'
import { type KeyStore, keyStore } from './keys.ts'
import type { Db } from './open.ts'
import { type PartStore, partStore } from './parts.ts'
import { type SessionStore, sessionStore } from './sessions.ts'
import { type WebhookStore, webhookStore } from './webhooks.ts'
import { WriteQueue } from './write-queue.ts'

/** Reads use the tables directly. Every write goes through `write`, which resolves after the commit. */
export type Store = {
  readonly sessions: SessionStore
  readonly parts: PartStore
  readonly idempotency: IdempotencyStore
  readonly keys: KeyStore
  readonly webhooks: WebhookStore
  write<T>(work: () => T): Promise<T>
  close(): void
}

export function createStore(db: Db): Store {
  const queue = new WriteQueue(db)
  return {
    sessions: sessionStore(db),
    parts: partStore(db),
    idempotency: idempotencyStore(db),
    keys: keyStore(db),
    webhooks: webhookStore(db),
    write: (work) => queue.run(work),
    close() {
      queue.flush()
      db.close()
    },
  }
}
