import { expect, test } from 'vitest'
import {
  type FileIdentity,
  mayBeSameInode,
  sameFile,
  sameInode,
} from '../../../../../main/agent/domain/file-identity.ts'

const file: FileIdentity = { device: '7', inode: '0', sizeBytes: 10, mtimeNs: '1', ctimeNs: '1' }

test('two names on a drive that numbers no files are never surely one file', () => {
  expect(sameInode(file, { ...file, sizeBytes: 20 })).toBe(false)
  expect(mayBeSameInode(file, { ...file, sizeBytes: 20 })).toBe(true)
  expect(sameInode({ ...file, inode: '5' }, { ...file, inode: '5' })).toBe(true)
})

test('a file on such a drive is unchanged if its size and times are', () => {
  expect(sameFile(file, { ...file })).toBe(true)
  expect(sameFile(file, { ...file, mtimeNs: '2' })).toBe(false)
})
