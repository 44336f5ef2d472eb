import { hashKey } from '../control/authenticate.ts'
import type { IdMaker, RandomBytes } from '../ids.ts'
import { StartError } from '../start-error.ts'
import { type AuditAction, audit } from '../store/audit.ts'
import { type KeyRow, keys } from '../store/keys.ts'
import { orgs, type Quota } from '../store/orgs.ts'
import type { Steps } from '../store/steps.ts'
import type { Store } from '../store/store.ts'
import { webhooks } from '../store/webhooks.ts'

export type OperatorContext = {
  readonly store: Store
  readonly makeId: IdMaker
  readonly random: RandomBytes
  readonly now: () => number
  /** The actor that the audit log shows for the change. */
  readonly actor: string
}

export async function createOrg(context: OperatorContext, name: string): Promise<string> {
  return context.store.write(() => addOrg(context, name))
}

function* addOrg(context: OperatorContext, name: string): Steps<string> {
  const id = context.makeId('org')
  yield* orgs.add(id, name)
  yield* recordOperatorChange(context, 'org.create', id, id)
  return id
}

/** Undefined: the limit stays. */
export type QuotaChanges = { readonly [Limit in keyof Quota]: Quota[Limit] | undefined }

/** Changes only the given limits, and returns all limits. Throws if there is no such organisation. */
export async function limitOrg(context: OperatorContext, id: string, changes: QuotaChanges): Promise<Quota> {
  const quota = await context.store.write(function* () {
    const org = yield* orgs.lock(id)
    if (org === undefined) return null
    const newQuota = {
      max_bytes: changes.max_bytes === undefined ? org.max_bytes : changes.max_bytes,
      max_sessions: changes.max_sessions === undefined ? org.max_sessions : changes.max_sessions,
    }
    yield* orgs.setQuota(id, newQuota)
    yield* recordOperatorChange(context, 'org.limit', id, id, JSON.stringify(newQuota))
    return newQuota
  })
  if (quota === null) throw unknownOrg(id)
  return quota
}

export function unknownOrg(id: string): StartError {
  return new StartError(`There is no organisation ${id}; "org list" lists all organisations.`)
}

/** Throws if there is no such key. */
export async function revokeKey(context: OperatorContext, id: string): Promise<void> {
  const isKnown = await context.store.write(function* () {
    const orgId = yield* keys.revoke(id)
    if (orgId === null) return false
    yield* recordOperatorChange(context, 'key.revoke', id, orgId)
    return true
  })
  if (!isKnown) throw new StartError(`There is no key ${id}; "key list" lists all keys.`)
}

/** Deletes a webhook endpoint and the deliveries that wait for it. Throws if there is no such endpoint. */
export async function deleteWebhook(context: OperatorContext, id: string): Promise<void> {
  const isKnown = await context.store.write(function* () {
    const orgId = yield* webhooks.deleteEndpoint(id)
    if (orgId === null) return false
    yield* recordOperatorChange(context, 'webhook_endpoint.delete', id, orgId)
    return true
  })
  if (!isKnown)
    throw new StartError(`There is no webhook endpoint ${id}; "webhook list" lists all webhook endpoints.`)
}

function recordOperatorChange(
  { now, actor }: OperatorContext,
  action: AuditAction,
  object: string,
  orgId: string,
  details: string | null = null,
): Steps<void> {
  return audit.add({ at: now(), org_id: orgId, actor, action, object, request_id: null, details })
}

export type NewKey = { readonly orgId: string; readonly name: string; readonly canWrite: boolean }

/** Returns the key and its ID. The server cannot show the key again, because the store keeps only its hash. */
export async function createKey(context: OperatorContext, newKey: NewKey) {
  const created = await context.store.write(function* () {
    return (yield* orgs.get(newKey.orgId)) === undefined ? null : yield* addKey(context, newKey)
  })
  if (created === null) throw unknownOrg(newKey.orgId)
  return created
}

function* addKey(
  context: OperatorContext,
  newKey: NewKey,
): Steps<{ readonly id: string; readonly key: string }> {
  const { makeId, random, now } = context
  const key = `svc_live_${random(24).toString('hex')}`
  const row: KeyRow = {
    key: hashKey(key),
    id: makeId('key'),
    name: newKey.name,
    org_id: newKey.orgId,
    can_write: newKey.canWrite ? 1 : 0,
    revoked: 0,
    created_at: now(),
  }
  yield* keys.add(row)
  yield* recordOperatorChange(context, 'key.create', row.id, newKey.orgId)
  return { id: row.id, key }
}

/**
 * Creates an organisation and a key in an empty data folder, so that one command is enough to start. Returns null if
 * there already is an organisation. One transaction creates both, because no later start would create a missing key.
 */
export async function createFirstKey(context: OperatorContext): Promise<string | null> {
  return context.store.write(function* () {
    if ((yield* orgs.list()).length > 0) return null
    const orgId = yield* addOrg(context, 'Lab')
    return (yield* addKey(context, { orgId, name: 'first key', canWrite: true })).key
  })
}
