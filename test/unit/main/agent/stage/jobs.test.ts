import { expect, test } from 'vitest'
import { Jobs } from '../../../../../main/agent/stage/jobs.ts'
import type { StageWorld } from '../../../../../main/agent/stage/stage.ts'

test('a recording has at most one job at a time', async () => {
  const world = { guard: (_where: string, work: () => void) => work(), wake: () => {} }
  const jobs = new Jobs(world as unknown as StageWorld, 'processing')
  const started: string[] = []
  const job = Promise.withResolvers<void>()
  const begin = (name: string) =>
    jobs.begin(7, name, () => {
      started.push(name)
      return job.promise
    })
  begin('sample')
  begin('poll')
  expect(started).toEqual(['sample'])
  job.resolve()
  await jobs.ended()
  begin('next poll')
  expect(started).toEqual(['sample', 'next poll'])
})
