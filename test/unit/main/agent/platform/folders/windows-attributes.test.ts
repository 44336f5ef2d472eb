import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { scanFolder } from '../../../../../../main/agent/platform/folders/folder-scan.ts'
import {
  createListHidden,
  type DirectoryCalls,
  type HiddenEntries,
  type ListHidden,
  listHiddenOnceLoaded,
} from '../../../../../../main/agent/platform/folders/windows-attributes.ts'
import { draftSettingsSchema } from '../../../../../../shared/settings/settings.ts'

const HIDDEN = 0x2
const SYSTEM = 0x4
const DIRECTORY = 0x10
const noMoreFiles = 0x8000_0006 | 0

type FolderEntry = readonly [name: string, attributes: number]

/**
 * Writes FILE_FULL_DIR_INFORMATION as Windows does. Each entry is aligned to eight bytes and starts with the distance
 * to the next entry. In the last entry, this distance is 0.
 */
const writeEntries = (buffer: Buffer, entries: readonly FolderEntry[]): void => {
  let at = 0
  for (const [index, [name, attributes]] of entries.entries()) {
    const nameBytes = Buffer.from(name, 'utf16le')
    const size = Math.ceil((68 + nameBytes.length) / 8) * 8
    buffer.fill(0xee, at, at + size)
    buffer.writeUInt32LE(index === entries.length - 1 ? 0 : size, at)
    buffer.writeUInt32LE(attributes, at + 56)
    buffer.writeUInt32LE(nameBytes.length, at + 60)
    nameBytes.copy(buffer, at + 68)
    at += size
  }
}

const nativeWith = (answers: readonly (readonly FolderEntry[] | number)[], handle = 7) => {
  const remainingAnswers = [...answers]
  const usage = { opened: [] as string[], closed: [] as number[] }
  const native: DirectoryCalls = {
    createFile: async (folder, access, share, _security, disposition, flags) => {
      // Opens an existing folder only for listing, and shares it with all other programs.
      expect([access, share, disposition, flags]).toEqual([1, 7, 3, 0x0200_0000])
      usage.opened.push(folder)
      return handle
    },
    closeHandle: async (closed) => {
      usage.closed.push(closed)
      return 1
    },
    queryDirectory: async (queriedHandle, _event, _routine, _context, block, buffer, length, kind) => {
      expect([queriedHandle, block.length, length, kind]).toEqual([7, 16, buffer.length, 2])
      const next = remainingAnswers.shift() ?? noMoreFiles
      if (typeof next === 'number') return next
      writeEntries(buffer, next)
      return 0
    },
  }
  return { list: createListHidden(native), usage }
}

describe('hidden entries of a folder on Windows', () => {
  it('are found by their attributes, even if the listing takes several calls; then the folder is closed', async () => {
    const { list, usage } = nativeWith([
      [
        ['.', DIRECTORY | HIDDEN],
        ['shown.wav', 0x20],
        ['Prüfstand 录音.wav', HIDDEN],
        ['only system', SYSTEM | DIRECTORY],
      ],
      [['DumpStack.log.tmp', HIDDEN | SYSTEM | 0x20]],
    ])
    expect(await list('\\\\?\\C:\\rec')).toEqual({
      protected: new Set(['DumpStack.log.tmp']),
      hidden: new Set(['.', 'Prüfstand 录音.wav']),
    })
    expect(usage).toEqual({ opened: ['\\\\?\\C:\\rec'], closed: [7] })
  })

  it('are unknown if the folder cannot be opened or the listing fails', async () => {
    const withoutHandle = nativeWith([], -1)
    expect(await withoutHandle.list('C:\\x')).toBeNull()
    expect(withoutHandle.usage.closed).toEqual([])
    const failingList = nativeWith([[['a', HIDDEN]], 0xc000_0001 | 0])
    expect(await failingList.list('C:\\x')).toBeNull()
    expect(failingList.usage.closed).toEqual([7])
  })

  it('are unknown if the library is missing, and Sluice logs this once', async () => {
    const warnings: string[] = []
    const list = listHiddenOnceLoaded(() => Promise.reject(new Error('no koffi')), {
      warn: (message) => void warnings.push(message),
    })
    expect(await list('C:\\x')).toBeNull()
    expect(await list('C:\\y')).toBeNull()
    expect(warnings).toHaveLength(1)
  })
})

describe('a scan with files hidden by attributes', () => {
  let root = ''
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const createFiles = (files: readonly string[]) => {
    root = mkdtempSync(path.join(tmpdir(), 'sluice-hidden-'))
    for (const file of files) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
      writeFileSync(path.join(root, file), 'x')
    }
  }
  const scan = async (
    hiddenByFolder: Record<string, Partial<HiddenEntries>>,
    exclude?: readonly string[],
  ) => {
    const noneHidden = { protected: new Set<string>(), hidden: new Set<string>() }
    // Sluice puts the prefix `\\?\` before Windows paths, so that Windows accepts every name.
    const toPlainPath = (folder: string) => folder.replace(/^\\\\\?\\/, '')
    const list: ListHidden = async (folder) => ({
      ...noneHidden,
      ...hiddenByFolder[path.relative(root, toPlainPath(folder))],
    })
    const { folders } = draftSettingsSchema.parse({
      folders: [{ path: root, site: 'lab', ...(exclude === undefined ? {} : { exclude }) }],
    })
    const result = await scanFolder(folders[0]!, new AbortController().signal, { listHidden: list })
    if (result.kind !== 'scanned') throw new Error(result.detail)
    return result.files.map((file) => path.relative(root, file.path).replaceAll('\\', '/')).sort()
  }
  const allFiles = ['a.wav', 'b.wav', 'in/c.wav', 'in/deep/d.wav', 'z.wav']

  it('skips hidden files and does not enter hidden folders', async () => {
    createFiles(allFiles)
    expect(await scan({ '': { hidden: new Set(['b.wav']) }, in: { hidden: new Set(['deep']) } })).toEqual([
      'a.wav',
      'in/c.wav',
      'z.wav',
    ])
  })

  it('finds a file once it is no longer hidden', async () => {
    createFiles(['take.wav'])
    expect(await scan({ '': { hidden: new Set(['take.wav']) } })).toEqual([])
    expect(await scan({})).toEqual(['take.wav'])
  })

  it('includes hidden files if names with a dot are not excluded, but never protected files', async () => {
    createFiles(allFiles)
    const hiddenByFolder = { '': { hidden: new Set(['b.wav']), protected: new Set(['in', 'z.wav']) } }
    expect(await scan(hiddenByFolder, ['**/*.tmp'])).toEqual(['a.wav', 'b.wav'])
    expect(await scan(hiddenByFolder, [])).toEqual(['a.wav', 'b.wav'])
  })

  it('finds a file even if a file of the same name in a different folder is hidden', async () => {
    createFiles(allFiles)
    expect(await scan({ in: { hidden: new Set(['a.wav', 'z.wav']) } })).toEqual(allFiles)
  })
})
