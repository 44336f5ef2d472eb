import { z } from 'zod'
import type { RandomBytes } from '../server/ids.ts'
import type { KeyRow } from '../server/store/keys.ts'
import type { Store } from '../server/store/store.ts'

const testKeysSchema = z.object({
  write: z.string(),
  read: z.string(),
  revoked: z.string(),
  other_org: z.string(),
  /** Absent in data folders of older versions. */
  live: z.string().optional(),
})

export type TestKeys = Readonly<z.infer<typeof testKeysSchema>> & { readonly live: string }

export const sampleOrg = { id: 'org_sample', name: 'Sample robotics lab' }
export const otherOrg = { id: 'org_other', name: 'Another organisation' }
/** The organisation of the live key (§5.3): empty at first, and apart from the test keys. */
const liveOrg = { id: 'org_live', name: 'Production' }

/**
 * Makes the keys of a data folder once and stores them in it. They must be secret, because every program and every user of this
 * computer reaches loopback. Older versions had the same keys everywhere; those stop working.
 */
export async function ownKeys(store: Store, random: RandomBytes): Promise<TestKeys> {
  const kept = store.keys.meta('test_keys')
  const known = kept === undefined ? null : testKeysSchema.parse(JSON.parse(kept))
  const secret = () => random(16).toString('hex')
  const make = (name: string) => `svc_test_${name}_${secret()}`
  const live = known?.live ?? `svc_live_write_${secret()}`
  if (known?.live !== undefined) return { ...known, live }
  const made = {
    ...(known ?? {
      write: make('write'),
      read: make('read'),
      revoked: make('revoked'),
      other_org: make('other_org'),
    }),
    live,
  }
  await store.write(() => {
    store.keys.addOrg(liveOrg.id, liveOrg.name)
    store.keys.replaceKeys(rowsOf(made))
    store.keys.setMeta('test_keys', JSON.stringify(made))
  })
  return made
}

function rowsOf(keys: TestKeys): readonly KeyRow[] {
  return [
    { key: keys.write, org_id: sampleOrg.id, can_write: 1, revoked: 0 },
    { key: keys.read, org_id: sampleOrg.id, can_write: 0, revoked: 0 },
    { key: keys.revoked, org_id: sampleOrg.id, can_write: 1, revoked: 1 },
    { key: keys.other_org, org_id: otherOrg.id, can_write: 1, revoked: 0 },
    { key: keys.live, org_id: liveOrg.id, can_write: 1, revoked: 0 },
  ]
}
