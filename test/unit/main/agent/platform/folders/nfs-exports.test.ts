import { expect, test } from 'vitest'
import { writableExports } from '../../../../../../main/agent/platform/folders/nfs-exports.ts'

const exportList = [
  '# Version 1.1',
  '# Path Client(Flags) # IPs',
  '/srv/night\\040shift\t192.168.7.0/24(rw,root_squash,sync,wdelay,no_subtree_check,uuid=1:2)',
  '/srv/takes\t*(ro,root_squash,sync)',
  '/\t*(rw,no_root_squash,sync,v4root,fsid=0)',
  '',
].join('\n')

test('finds the folders that other PCs may write to over NFS', () => {
  expect(writableExports(exportList)).toEqual(['/srv/night shift'])
  expect(writableExports('')).toEqual([])
})
