import { expect, test } from 'vitest'
import { driveToStore, isOtherDrive, isSameDrive } from '../../../../../main/agent/domain/same-drive.ts'

test('recognises the target drive after a restart, and rejects a different drive with the same device number', () => {
  const target = { device: '2049', inode: '12:1700000000000000001' }
  expect(isSameDrive(target, target)).toBe(true)
  expect(isSameDrive(target, { ...target, device: '2065' })).toBe(true)
  // FAT gives a folder a new inode number at each mount, but keeps its birth time.
  expect(isSameDrive(target, { ...target, inode: '77:1700000000000000001' })).toBe(true)
  for (const inode of ['12:1700000000000000002', '77:1700000000000000002'])
    expect(isSameDrive(target, { device: '2049', inode }), inode).toBe(false)
  // The root of an exFAT drive gets a new birth time at each mount, so Sluice ignores this time.
  expect(isSameDrive({ device: '2049', inode: '1:5' }, { device: '2049', inode: '1:6' })).toBe(true)
  // Older journals and some shares have no birth time. For these, an equal device or an equal inode is enough.
  for (const oldInode of ['12', '12:0']) {
    expect(isSameDrive({ device: '2049', inode: oldInode }, { device: '2049', inode: '77:5' })).toBe(true)
    expect(isSameDrive({ device: '2049', inode: oldInode }, { device: '2065', inode: oldInode })).toBe(true)
    expect(isSameDrive({ device: '2049', inode: oldInode }, { device: '2065', inode: '77' })).toBe(false)
  }
})

test('a different UUID or root folder means a different drive, even with the same device number and inode', () => {
  const folder = { device: '2049', inode: '12:5' }
  const pairs = [
    ['uuid:a', 'uuid:a', false],
    ['uuid:a', 'uuid:b', true],
    ['root:2:5', 'root:2:6', true],
    // The system does not always report the UUID, so Sluice compares only identities of the same kind.
    ['uuid:a', 'root:2:5', false],
    [undefined, 'uuid:a', false],
  ] as const
  for (const [stored, current, isOther] of pairs) {
    expect(isOtherDrive({ drive: stored }, { drive: current }), `${stored} ${current}`).toBe(isOther)
    expect(isSameDrive({ ...folder, drive: stored }, { ...folder, drive: current })).toBe(!isOther)
  }
})

test('a stored UUID is kept while the system does not report it', () => {
  const storedFor = (stored: string | undefined, current: string | undefined) =>
    driveToStore({ drive: stored }, { drive: current })
  expect(storedFor('uuid:a', 'root:2:5')).toBe('uuid:a')
  expect(storedFor('uuid:a', undefined)).toBe('uuid:a')
  expect(storedFor('root:2:5', undefined)).toBe('root:2:5')
  expect(storedFor('root:2:5', 'uuid:a')).toBe('uuid:a')
  expect(storedFor(undefined, 'root:2:5')).toBe('root:2:5')
  expect(storedFor(undefined, undefined)).toBeUndefined()
})
