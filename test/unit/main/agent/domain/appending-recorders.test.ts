import { expect, test } from 'vitest'
import { AppendingRecorders } from '../../../../../main/agent/domain/appending-recorders.ts'

const identity = { device: '1', inode: '5', sizeBytes: 10, mtimeNs: '1', ctimeNs: '1' }
const take = { folder: '/data', path: '/data/run.h5', identity }
const appended = { ...take, identity: { ...identity, sizeBytes: 20, mtimeNs: '2', ctimeNs: '2' } }

test('an append to a file that was settled early turns off early settling for its folder and extension', () => {
  const recorders = new AppendingRecorders()
  recorders.noteGrowing(appended)
  expect(recorders.appendsAfterClosing(take)).toBe(false)
  recorders.noteClosed(take)
  recorders.noteGrowing(appended)
  expect(recorders.appendsAfterClosing({ ...take, path: '/data/other.H5' })).toBe(true)
  expect(recorders.appendsAfterClosing({ ...take, path: '/data/run.mcap' })).toBe(false)
  expect(recorders.appendsAfterClosing({ ...take, folder: '/elsewhere' })).toBe(false)
})

test.each([
  ['a new file at the path of a finished file', { ...appended.identity, inode: '6' }],
  ['a changed attribute', { ...identity, ctimeNs: '2' }],
])('%s is not an append', (_, changedIdentity) => {
  const recorders = new AppendingRecorders()
  recorders.noteClosed(take)
  recorders.noteGrowing({ ...take, identity: changedIdentity })
  expect(recorders.appendsAfterClosing(take)).toBe(false)
})
