import { expect, test } from 'vitest'
import {
  type FileIdentity,
  mayBeSameInode,
  sameFile,
  sameInode,
} from '../../../../../main/agent/domain/file-identity.ts'

const file: FileIdentity = { device: '7', inode: '0', sizeBytes: 10, mtimeNs: '1', ctimeNs: '1' }

test('on a drive without inode numbers, two files may be the same, but Sluice cannot be sure', () => {
  expect(sameInode(file, { ...file, sizeBytes: 20 })).toBe(false)
  expect(mayBeSameInode(file, { ...file, sizeBytes: 20 })).toBe(true)
  expect(sameInode({ ...file, inode: '5' }, { ...file, inode: '5' })).toBe(true)
})

test('on a drive without inode numbers, a file with the same size and times counts as unchanged', () => {
  expect(sameFile(file, { ...file })).toBe(true)
  expect(sameFile(file, { ...file, mtimeNs: '2' })).toBe(false)
})
