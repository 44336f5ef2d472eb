import { z } from 'zod'
import type { RandomBytes } from './ids.ts'
import type { KeyRow } from './store/keys.ts'
import type { Store } from './store/store.ts'

const testKeysSchema = z.object({
  write: z.string(),
  read: z.string(),
  revoked: z.string(),
  other_org: z.string(),
})

export type TestKeys = Readonly<z.infer<typeof testKeysSchema>>

export const sampleOrg = { id: 'org_sample', name: 'Sample robotics lab' }
export const otherOrg = { id: 'org_other', name: 'Another organisation' }

/**
 * Makes the keys of a data folder once and stores them in it. They must be secret, because every program and every user of this
 * computer reaches loopback. Older versions had the same keys everywhere; those stop working.
 */
export async function ownKeys(store: Store, random: RandomBytes): Promise<TestKeys> {
  const kept = store.keys.meta('test_keys')
  if (kept !== undefined) return testKeysSchema.parse(JSON.parse(kept))
  const make = (name: string) => `svc_test_${name}_${random(16).toString('hex')}`
  const made = {
    write: make('write'),
    read: make('read'),
    revoked: make('revoked'),
    other_org: make('other_org'),
  }
  await store.write(() => {
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
  ]
}
