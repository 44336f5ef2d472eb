import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTemporaryFolder, temporaryFoldersOf } from '../../../../main/endpoint/temporary-folder.ts'
import { needs, posix, root } from '../../../support/needs.ts'

const STRANGER_UID = 65533
const ownUid = process.geteuid?.() ?? 0

let base: string
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-temporary-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const usual = () => path.join(base, `sluice-${ownUid}`)

describe('the folder of an agent in /tmp', needs(posix), () => {
  test('has a known name, and only this account can enter it', () => {
    expect(makeTemporaryFolder(ownUid, base)).toBe(usual())
    expect(lstatSync(usual()).mode & 0o777).toBe(0o700)
    expect(makeTemporaryFolder(ownUid, base)).toBe(usual())
    expect(temporaryFoldersOf(ownUid, base)).toEqual([usual()])
  })

  test.each([
    { planted: 'a link', plant: () => symlinkSync(base, usual()) },
    {
      planted: 'a folder that others may write to',
      plant: () => {
        mkdirSync(usual())
        chmodSync(usual(), 0o777)
      },
    },
  ])(
    'gets a name with a random ending if $planted already has the usual name, and clients find the new folder',
    ({ plant }) => {
      plant()
      const folder = makeTemporaryFolder(ownUid, base)
      expect(folder.startsWith(`${usual()}-`)).toBe(true)
      expect(temporaryFoldersOf(ownUid, base)).toEqual([usual(), folder])
      // The next start uses the same folder.
      expect(makeTemporaryFolder(ownUid, base)).toBe(folder)
    },
  )

  test('is never a folder of a different user', needs(root), () => {
    for (const planted of [usual(), `${usual()}-planted`]) {
      mkdirSync(planted, { mode: 0o700 })
      chownSync(planted, STRANGER_UID, STRANGER_UID)
    }
    const folder = makeTemporaryFolder(ownUid, base)
    expect(lstatSync(folder)).toMatchObject({ uid: ownUid })
    expect(temporaryFoldersOf(ownUid, base)).toEqual([usual(), folder])
  })
})
