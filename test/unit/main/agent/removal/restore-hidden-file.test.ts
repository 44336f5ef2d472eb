import { expect, test } from 'vitest'
import { restoreHiddenFile } from '../../../../../main/agent/removal/restore-hidden-file.ts'

type Operations = Parameters<typeof restoreHiddenFile>[0]['operations']

const HIDDEN = '/recordings/.hidden'

/** Restores the file in a folder where all numbered names up to `takenUpTo` are taken. */
const restore = async (takenUpTo: number, isTaken: (path: string) => boolean = () => false) => {
  let calls = 0
  const place: Operations['place'] = async (_from, to) => {
    calls += 1
    const number = Number(/\((\d+)\)/.exec(to)?.[1] ?? 1)
    return number <= takenUpTo ? { kind: 'taken' } : { kind: 'done' }
  }
  const result = await restoreHiddenFile(
    { operations: { place } as Operations },
    '/recordings/take.bin',
    HIDDEN,
    isTaken,
  )
  return { result, calls }
}

test('if very many names are taken, the restore stops after a few drive calls', async () => {
  expect(await restore(10_000)).toEqual({ result: 'refused', calls: 20 })
})

test('skips names that the last scan found, without a drive call', async () => {
  const { result, calls } = await restore(500, (path) => Number(/\((\d+)\)/.exec(path)?.[1] ?? 1) <= 500)
  expect(result).toEqual({ path: '/recordings/take (501).bin' })
  expect(calls).toBe(1)
})
