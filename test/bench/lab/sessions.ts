import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../figure.ts'
import { onDisk } from '../on-disk.ts'
import { completeUpload, createUpload, type Lab, missingForLab, withLab } from './lab.ts'

const sessionsPerRound = 500
const parallel = 16
const content = Buffer.alloc(2_000, 'recording ')
const what = 'small sessions on PostgreSQL: create, one part of 2 kB, complete, process'

/**
 * Measures on disk, because PostgreSQL waits for the disk at each commit. The clients share the cores of the server.
 */
export const benchSessions: Bench = async ({ rounds }) => {
  const missing = missingForLab('folder')
  if (missing !== null) return [{ what, missing }]
  return onDisk(() =>
    withLab('folder', async (lab) => {
      const ours: number[] = []
      for (let round = 0; round <= rounds; round += 1) {
        const perSecond = await runRound(lab)
        if (round > 0) ours.push(perSecond)
      }
      return [{ what, unit: '/s', ours, reference: null, goal: { kind: 'own' as const, atLeast: 100 } }]
    }),
  )
}

const runRound = async (lab: Lab): Promise<number> => {
  const startedAt = performance.now()
  let started = 0
  const station = async () => {
    while (started < sessionsPerRound) {
      started += 1
      await uploadOne(lab)
    }
  }
  await Promise.all(Array.from({ length: parallel }, station))
  while (!(await isAllProcessed(lab))) await delay(20)
  return sessionsPerRound / ((performance.now() - startedAt) / 1_000)
}

const uploadOne = async (lab: Lab): Promise<void> => {
  const size = { bytes: content.length, partSize: content.length }
  const { id, urls } = await createUpload(lab, { ...size, sha256: digest('hex') })
  const put = await fetch(urls[0]!, {
    method: 'PUT',
    headers: { 'x-amz-checksum-sha256': digest('base64') },
    body: content,
  })
  await completeUpload(lab, id, [put.headers.get('etag') ?? ''])
}

const isAllProcessed = async ({ server, headers }: Lab): Promise<boolean> => {
  const answer = await fetch(`${server.baseUrl}/v1/sessions?status=processing&limit=1`, { headers })
  return ((await answer.json()) as { data: unknown[] }).data.length === 0
}

const digest = (encoding: 'hex' | 'base64') => createHash('sha256').update(content).digest(encoding)
