import { execFileSync } from 'node:child_process'
import {
  chownSync,
  copyFileSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDataFolder } from '../../../server/data-folder.ts'
import { systemRandom } from '../../../server/ids.ts'
import { StartError } from '../../../server/start-error.ts'
import { PartFiles } from '../../../server/storage/part-files.ts'
import { createPrivateFile } from '../../../server/store-permissions.ts'
import { needs, posix, root } from '../../support/needs.ts'

/** The account of the server. */
const accountUid = 12_345

const makeFolder = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'server-data-folder-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** A data folder of the account, and a file of root in a different folder. */
const openAccountFolder = async () => {
  const [folder, elsewhere] = [await makeFolder(), await makeFolder()]
  const created = await openDataFolder(folder, 'server')
  created.db.close()
  await created.close()
  for (const file of ['', 'server.db', 'server.db.lock'])
    chownSync(path.join(folder, file), accountUid, accountUid)
  const rootsFile = path.join(elsewhere, 'file-of-root')
  writeFileSync(rootsFile, '', { mode: 0o644 })
  return { folder, rootsFile }
}

/** True if a different process cannot take the lock. */
const isLockedFor = (folder: string) => {
  const script = `const Database = require('better-sqlite3')
    try { new Database(process.argv[1], { timeout: 0 }).exec('BEGIN EXCLUSIVE') } catch { console.log('locked') }`
  const file = path.join(folder, 'server.db.lock')
  return execFileSync(process.execPath, ['-e', script, file], { encoding: 'utf8' }).includes('locked')
}

const useFolder = async (folder: string) => {
  const { db, close } = await openDataFolder(folder, 'server')
  await PartFiles.open(folder, systemRandom, { usedNames: new Set(['part']), firstUsedAtMs: 0 })
  db.close()
  await close()
}

describe('a command of root in the data folder of the server’s account', needs(posix, root), () => {
  test('gives a new lock file to the account', async () => {
    const { folder } = await openAccountFolder()
    const lock = path.join(folder, 'server.db.lock')
    await rm(lock)
    await useFolder(folder)
    expect(await stat(lock)).toMatchObject({ uid: accountUid, gid: accountUid })
  })

  test('gives the account a lock file that a killed command of root has left behind', async () => {
    const { folder } = await openAccountFolder()
    const lock = path.join(folder, 'server.db.lock')
    await rm(lock)
    writeFileSync(lock, '', { mode: 0o600 })
    await useFolder(folder)
    expect(await stat(lock)).toMatchObject({ uid: accountUid, gid: accountUid, size: 0 })
  })

  test.each([0, accountUid])(
    'does not release a lock of its own process in a folder of the account %i',
    async (uid) => {
      const { folder } = await openAccountFolder()
      for (const file of ['', 'server.db', 'server.db.lock']) chownSync(path.join(folder, file), uid, uid)
      const { db, close } = await openDataFolder(folder, 'server')
      await expect(openDataFolder(folder, 'server')).rejects.toThrow('in use')
      expect(isLockedFor(folder)).toBe(true)
      db.close()
      await close()
    },
  )

  test('leaves no lock file of root behind if it cannot change the owner', async () => {
    const lock = path.join(await makeFolder(), 'server.db.lock')
    const owner = { uid: -5, gid: 0 }
    await expect(createPrivateFile(lock, owner)).rejects.toThrow('uid')
    expect(existsSync(lock)).toBe(false)
  })

  test.each([
    ['the lock file is a symbolic link to it', symlinkSync, ''],
    ['it is the lock file and has content', copyFileSync, 'content'],
  ])('does not change the owner of a file of root if %s', async (_, put, content) => {
    const { folder, rootsFile } = await openAccountFolder()
    writeFileSync(rootsFile, content)
    const lock = path.join(folder, 'server.db.lock')
    await rm(lock)
    put(rootsFile, lock)
    await createPrivateFile(lock, { uid: accountUid, gid: accountUid })
    expect([lstatSync(rootsFile).uid, statSync(lock).uid]).toEqual([0, 0])
  })

  test('does not change the owner of a file of root if the lock file is a hard link to it', async () => {
    const { folder, rootsFile } = await openAccountFolder()
    const lock = path.join(folder, 'server.db.lock')
    await rm(lock)
    linkSync(rootsFile, lock)
    await useFolder(folder)
    expect(lstatSync(rootsFile)).toMatchObject({ uid: 0, gid: 0 })
  })

  test('deletes no file if the account replaced the folder of the parts by a link', async () => {
    const { folder, rootsFile } = await openAccountFolder()
    const parts = path.join(folder, 'parts')
    symlinkSync(path.dirname(rootsFile), parts)
    lchownSync(parts, accountUid, accountUid)
    const reason = `Root does not use ${parts}, because it is a link of another account. Run the command as that account.`
    for (const usage of [{ usedNames: new Set<string>(), firstUsedAtMs: 0 }, null])
      await expect(PartFiles.open(folder, systemRandom, usage)).rejects.toThrow(new StartError(reason))
    expect(readdirSync(path.dirname(rootsFile))).toEqual(['file-of-root'])
  })

  test('uses a folder of the parts that root has linked to a larger disk', async () => {
    const { folder } = await openAccountFolder()
    const disk = await makeFolder()
    writeFileSync(path.join(disk, 'leftover'), '')
    symlinkSync(disk, path.join(folder, 'parts'))
    await useFolder(folder)
    expect(readdirSync(disk)).toEqual([])
  })

  test('changes no permissions of files to which the account has linked', async () => {
    const { folder, rootsFile } = await openAccountFolder()
    symlinkSync(rootsFile, path.join(folder, 'server.db-journal'))
    await mkdir(path.join(folder, 'parts'))
    symlinkSync(rootsFile, path.join(folder, 'parts', 'part'))
    await useFolder(folder)
    expect(lstatSync(rootsFile).mode & 0o777).toBe(0o644)
  })
})
