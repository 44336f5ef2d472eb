import { hashKey } from '../control/authenticate.ts'
import type { IdMaker, RandomBytes } from '../ids.ts'
import { StartError } from '../start-error.ts'
import { type KeyRow, keys } from '../store/keys.ts'
import { orgs } from '../store/orgs.ts'
import type { Store } from '../store/store.ts'

export type Maker = {
  readonly store: Store
  readonly makeId: IdMaker
  readonly random: RandomBytes
  readonly now: () => number
}

export async function createOrg({ store, makeId }: Maker, name: string): Promise<string> {
  const id = makeId('org')
  await store.write(() => orgs.add(id, name))
  return id
}

export type NewKey = { readonly orgId: string; readonly name: string; readonly write: boolean }

/** Returns the key. It cannot be shown again: the store keeps only its hash. */
export async function createKey({ store, makeId, random, now }: Maker, wanted: NewKey) {
  const key = `svc_live_${random(24).toString('hex')}`
  const row: KeyRow = {
    key: hashKey(key),
    id: makeId('key'),
    name: wanted.name,
    org_id: wanted.orgId,
    can_write: wanted.write ? 1 : 0,
    revoked: 0,
    created_at: now(),
  }
  const known = await store.write(function* () {
    if ((yield* orgs.get(wanted.orgId)) === undefined) return false
    yield* keys.add(row)
    return true
  })
  if (!known) throw new StartError(`There is no organisation ${wanted.orgId}; "org list" shows them.`)
  return { id: row.id, key }
}

/** Creates an organisation and a key in an empty data folder, so that one command is enough to start. */
export async function firstKey(maker: Maker): Promise<string | null> {
  if ((await maker.store.read(orgs.list())).length > 0) return null
  const orgId = await createOrg(maker, 'Lab')
  const { key } = await createKey(maker, { orgId, name: 'first key', write: true })
  return key
}
