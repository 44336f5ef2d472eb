import { expect, test } from 'vitest'
import { EarlyFinishes } from '../../../../../main/agent/domain/early-finishes.ts'

const identity = { device: '1', inode: '5', sizeBytes: 10, mtimeNs: '1', ctimeNs: '1' }
const take = { folder: '/data', path: '/data/run.h5', identity }
const appended = { ...take, identity: { ...identity, sizeBytes: 20, mtimeNs: '2', ctimeNs: '2' } }

test('an append to a finished file turns off early finishing for its folder and extension', () => {
  const early = new EarlyFinishes()
  early.grows(appended)
  expect(early.areOff(take)).toBe(false)
  early.finished(take)
  early.grows(appended)
  expect(early.areOff({ ...take, path: '/data/other.H5' })).toBe(true)
  expect(early.areOff({ ...take, path: '/data/run.mcap' })).toBe(false)
  expect(early.areOff({ ...take, folder: '/elsewhere' })).toBe(false)
})

test.each([
  ['a new file at the path of a finished one', { ...appended.identity, inode: '6' }],
  ['a changed attribute', { ...identity, ctimeNs: '2' }],
])('%s is not an append', (_, now) => {
  const early = new EarlyFinishes()
  early.finished(take)
  early.grows({ ...take, identity: now })
  expect(early.areOff(take)).toBe(false)
})
