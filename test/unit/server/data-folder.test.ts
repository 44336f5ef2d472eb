import { chownSync, lchownSync, linkSync, lstatSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDataFolder } from '../../../server/data-folder.ts'
import { systemRandom } from '../../../server/ids.ts'
import { StartError } from '../../../server/start-error.ts'
import { PartFiles } from '../../../server/storage/part-files.ts'
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

const useFolder = async (folder: string) => {
  const { db, close } = await openDataFolder(folder, 'server')
  await PartFiles.open(folder, systemRandom, new Set(['part']))
  db.close()
  await close()
}

describe('a command of root in the data folder of the server’s account', needs(posix, root), () => {
  test('leaves a new lock to the account', async () => {
    const { folder } = await openAccountFolder()
    const lock = path.join(folder, 'server.db.lock')
    await rm(lock)
    await useFolder(folder)
    expect(await stat(lock)).toMatchObject({ uid: accountUid, gid: accountUid })
  })

  test('changes no owner of a file to which the account has linked the lock', async () => {
    const { folder, rootsFile } = await openAccountFolder()
    const lock = path.join(folder, 'server.db.lock')
    await rm(lock)
    linkSync(rootsFile, lock)
    await useFolder(folder)
    expect(lstatSync(rootsFile)).toMatchObject({ uid: 0, gid: 0 })
  })

  test('deletes no file in a folder to which the account has linked the folder of the parts', async () => {
    const { folder, rootsFile } = await openAccountFolder()
    const parts = path.join(folder, 'parts')
    symlinkSync(path.dirname(rootsFile), parts)
    lchownSync(parts, accountUid, accountUid)
    const reason = `Root does not use ${parts}, because it is a link of another account. Run the command as that account.`
    for (const usedNames of [new Set<string>(), null])
      await expect(PartFiles.open(folder, systemRandom, usedNames)).rejects.toThrow(new StartError(reason))
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
