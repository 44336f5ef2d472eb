import type { KeyRow } from './store/keys.ts'

/** Well-known on purpose: they open nothing but a sandbox on this computer. */
export const testKeys = {
  write: 'svc_test_write_4f9a1c72e05b',
  read: 'svc_test_read_8d3e6b10c4a7',
  revoked: 'svc_test_revoked_2b7c95f1e8d0',
  other_org: 'svc_test_other_org_6a0e4d83b9f2',
} as const

export type TestKeys = { readonly [name in keyof typeof testKeys]: string }

export const sampleOrg = { id: 'org_sample', name: 'Sample robotics lab' }
export const otherOrg = { id: 'org_other', name: 'Another organisation' }

export const keyRows: readonly KeyRow[] = [
  { key: testKeys.write, org_id: sampleOrg.id, can_write: 1, revoked: 0 },
  { key: testKeys.read, org_id: sampleOrg.id, can_write: 0, revoked: 0 },
  { key: testKeys.revoked, org_id: sampleOrg.id, can_write: 1, revoked: 1 },
  { key: testKeys.other_org, org_id: otherOrg.id, can_write: 1, revoked: 0 },
]
