import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Call } from '../../../../server/control/call.ts'
import { createSession } from '../../../../server/control/create-session.ts'
import { openDataFolder } from '../../../../server/data-folder.ts'
import { orgs } from '../../../../server/store/orgs.ts'
import type { Db } from '../../../../server/store/sqlite/open.ts'
import type { Steps } from '../../../../server/store/steps.ts'
import { newSession } from '../../../contract/service.ts'

const openStore = async (): Promise<Db> => {
  const root = await mkdtemp(path.join(tmpdir(), 'create-session-'))
  const { db, close } = await openDataFolder(root, 'server')
  onTestFinished(async () => {
    db.close()
    await close()
    await rm(root, { recursive: true })
  })
  return db
}

test('checks the quota of an organisation without adding up its sessions', async () => {
  const db = await openStore()
  const plans: string[] = []
  const run = <T>(steps: Steps<T>): T => {
    let turn = steps.next()
    while (turn.done !== true) {
      const { sql, params } = turn.value
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(params) as { detail: string }[]
      plans.push(...plan.map(({ detail }) => detail))
      const statement = db.prepare(sql)
      const rows = statement.reader ? statement.all(params) : []
      turn = steps.next({ rows, changes: statement.reader ? 0 : statement.run(params).changes })
    }
    return turn.value
  }
  run(orgs.add('org_1', 'Lab'))
  run(orgs.setQuota('org_1', { max_bytes: 1_000, max_sessions: 10 }))
  const call = {
    context: {
      limits: { minPartBytes: 100, urlLifetimeS: 60 },
      makeId: (kind: string) => `${kind}_1`,
      clock: { now: () => 1 },
      store: { read: async (steps: Steps<unknown>) => run(steps) },
      signer: {
        secret: Buffer.alloc(32),
        uploadUrl: 'http://parts',
        checksumHeader: 'x-checksum',
        directParts: null,
      },
    },
    key: { id: 'key_1', org_id: 'org_1' },
    requestId: 'req_1',
    body: newSession(Buffer.alloc(500)),
    urlsSignedAtMs: 1,
    commit: async (work: () => Steps<unknown>) => run(work()),
  } as unknown as Call
  expect(await createSession(call)).toMatchObject({ kind: 'ok' })
  expect(plans.some((plan) => /orgs/.test(plan))).toBe(true)
  expect(plans.filter((plan) => /sessions/.test(plan))).toEqual([])
})
