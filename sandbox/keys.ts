import { z } from 'zod'
import { hashKey } from '../server/control/authenticate.ts'
import type { RandomBytes } from '../server/ids.ts'
import { type KeyRow, keys } from '../server/store/keys.ts'
import { meta } from '../server/store/meta.ts'
import { orgs } from '../server/store/orgs.ts'
import type { Store } from '../server/store/store.ts'

const sandboxKeysSchema = z.object({
  write: z.string(),
  read: z.string(),
  revoked: z.string(),
  other_org: z.string(),
  /** Absent in data folders of older versions. */
  live: z.string().optional(),
})

export type SandboxKeys = Readonly<z.infer<typeof sandboxKeysSchema>> & { readonly live: string }

export const sampleOrg = { id: 'org_sample', name: 'Sample robotics lab' }
export const otherOrg = { id: 'org_other', name: 'Another organisation' }
/** The organisation of the live key (§5.3). It starts empty and shares nothing with the test keys. */
const liveOrg = { id: 'org_live', name: 'Production' }

/**
 * Creates and stores the keys of a new data folder, so that every start prints the same keys. They are random, because
 * every program and user of this PC can reach loopback.
 */
export async function loadOrCreateKeys(store: Store, random: RandomBytes, now: number): Promise<SandboxKeys> {
  const storedJson = await store.read(meta.get('test_keys'))
  const storedKeys = storedJson === undefined ? null : sandboxKeysSchema.parse(JSON.parse(storedJson))
  const secret = () => random(16).toString('hex')
  const makeTestKey = (name: string) => `svc_test_${name}_${secret()}`
  const live = storedKeys?.live ?? `svc_live_write_${secret()}`
  if (storedKeys?.live !== undefined) return { ...storedKeys, live }
  const sandboxKeys = {
    ...(storedKeys ?? {
      write: makeTestKey('write'),
      read: makeTestKey('read'),
      revoked: makeTestKey('revoked'),
      other_org: makeTestKey('other_org'),
    }),
    live,
  }
  await store.write(function* () {
    yield* orgs.add(liveOrg.id, liveOrg.name)
    yield* keys.replaceAll(rowsOf(sandboxKeys, now))
    yield* meta.set('test_keys', JSON.stringify(sandboxKeys))
  })
  return sandboxKeys
}

function rowsOf(sandboxKeys: SandboxKeys, now: number): readonly KeyRow[] {
  const row = (name: keyof SandboxKeys, org_id: string, can_write: 0 | 1, revoked: 0 | 1 = 0): KeyRow => ({
    key: hashKey(sandboxKeys[name]!),
    id: `key_test_${name}`,
    name,
    org_id,
    can_write,
    revoked,
    created_at: now,
  })
  return [
    row('write', sampleOrg.id, 1),
    row('read', sampleOrg.id, 0),
    row('revoked', sampleOrg.id, 1, 1),
    row('other_org', otherOrg.id, 1),
    row('live', liveOrg.id, 1),
  ]
}
