import { hashKey } from '../control/authenticate.ts'
import type { IdMaker, RandomBytes } from '../ids.ts'
import { StartError } from '../start-error.ts'
import { type KeyRow, keys } from '../store/keys.ts'
import { orgs } from '../store/orgs.ts'
import type { Store } from '../store/store.ts'

export type CreationContext = {
  readonly store: Store
  readonly makeId: IdMaker
  readonly random: RandomBytes
  readonly now: () => number
}

export async function createOrg({ store, makeId }: CreationContext, name: string): Promise<string> {
  const id = makeId('org')
  await store.write(() => orgs.add(id, name))
  return id
}

export type NewKey = { readonly orgId: string; readonly name: string; readonly canWrite: boolean }

/** Returns the key. The server cannot show it again, because the store keeps only its hash. */
export async function createKey({ store, makeId, random, now }: CreationContext, newKey: NewKey) {
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
  const isKnownOrg = await store.write(function* () {
    if ((yield* orgs.get(newKey.orgId)) === undefined) return false
    yield* keys.add(row)
    return true
  })
  if (!isKnownOrg)
    throw new StartError(`There is no organisation ${newKey.orgId}; "org list" lists all organisations.`)
  return { id: row.id, key }
}

/**
 * Creates an organisation and a key in an empty data folder, so that one command is enough to start. Returns null if there
 * already is an organisation.
 */
export async function createFirstKey(context: CreationContext): Promise<string | null> {
  if ((await context.store.read(orgs.list())).length > 0) return null
  const orgId = await createOrg(context, 'Lab')
  const { key } = await createKey(context, { orgId, name: 'first key', canWrite: true })
  return key
}
