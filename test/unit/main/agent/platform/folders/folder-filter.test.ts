import { describe, expect, it } from 'vitest'
import { createFolderFilter } from '../../../../../../main/agent/platform/folders/folder-filter.ts'
import { escapeName } from '../../../../../../main/agent/platform/folders/name-escape.ts'
import { describeWatchError } from '../../../../../../main/agent/platform/folders/watch-error.ts'
import { linuxPaths, macPaths, type Paths, windowsPaths } from '../../../../../../shared/paths/paths.ts'
import { temporaryFiles } from '../../../../../../shared/settings/take-layouts.ts'

const defaultPatterns = {
  include: ['**/*'],
  exclude: ['**/.*', '**/*.part', '**/*.tmp', '**/*.active'],
  recursive: true,
}

describe('a folder filter', () => {
  const filter = createFolderFilter(defaultPatterns, linuxPaths)

  it.each([
    'a.wav',
    'x/y/a.wav',
    'emoji 😀.wav',
    'line\nbreak.wav',
    'a[1] (2) {3}.wav',
    '!a',
    '@x/#b',
    'a\\b.wav',
    '\u2028x',
    'ends\n',
  ])('includes %j', (path) => expect(filter.takesFile(path)).toBe(true))

  it.each(['.a', 'x/.a', 'a.part', 'x/a.tmp', 'x/a.bag.active', 'line\nbreak.tmp', '.\n'])(
    'excludes %j',
    (path) => expect(filter.takesFile(path)).toBe(false),
  )

  it.each([
    ['Windows', windowsPaths, false],
    ['Linux', linuxPaths, true],
  ])(
    'applies the case rules of the file system also to a pattern with many stars: %s',
    (_, paths, takesOtherCase) => {
      const exclude = ['**/Hall*_Kamera-Ü*_*.bin']
      const { takesFile } = createFolderFilter({ ...defaultPatterns, exclude }, paths)
      expect(takesFile('x/Hall3_Kamera-Ü1_2.bin')).toBe(false)
      expect(takesFile('x/hall3_kamera-ü1_2.BIN')).toBe(takesOtherCase)
      expect(takesFile('x/Hall3_Kamera-O1_2.bin')).toBe(true)
    },
  )

  it('quickly matches a pattern with many stars, for which a regular expression would need years', () => {
    const { takesFile } = createFolderFilter(
      { ...defaultPatterns, exclude: [`**/${'*a'.repeat(60)}b`] },
      linuxPaths,
    )
    expect(takesFile('a'.repeat(250))).toBe(true)
  })

  it('skips the temporary images of LeRobot, and nothing else of a dataset', () => {
    const exclude = [...defaultPatterns.exclude, ...temporaryFiles.LeRobot]
    const { takesFile } = createFolderFilter({ ...defaultPatterns, exclude }, linuxPaths)
    for (const dataset of ['', 'set/', 'user/set/'])
      for (const image of ['episode_000000/frame_000001.png', 'episode-000012/frame-000345.png'])
        expect(takesFile(`${dataset}images/observation.images.front/${image}`), dataset + image).toBe(false)
    for (const file of [
      'meta/info.json',
      'data/chunk-000/episode_000000.parquet',
      'videos/chunk-000/observation.images.front/episode_000000.mp4',
      'images/front.png',
    ])
      for (const dataset of ['', 'set/']) expect(takesFile(dataset + file), dataset + file).toBe(true)
  })

  it('does not enter an excluded folder, and enters no folder at all if `recursive` is off', () => {
    expect(filter.entersFolder('x')).toBe(true)
    expect(filter.entersFolder('x/.cache')).toBe(false)
    expect(createFolderFilter({ ...defaultPatterns, recursive: false }).entersFolder('x')).toBe(false)
  })

  describe.each([
    ['Linux', linuxPaths],
    ['Windows', windowsPaths],
    ['macOS', macPaths],
  ])('without any exclude pattern on %s', (_, paths) => {
    const unfiltered = createFolderFilter({ ...defaultPatterns, exclude: [] }, paths)

    it.each([
      '$RECYCLE.BIN',
      '$Recycle.Bin',
      'System Volume Information',
      '$WinREAgent',
      '.Trashes',
      '.Spotlight-V100',
      '.fseventsd',
      'lost+found',
      '.Trash-1000',
      'mounted/here/$Recycle.Bin',
    ])('does not enter %s', (folder) => expect(unfiltered.entersFolder(folder)).toBe(false))

    it.each(['desktop.ini', 'x/Thumbs.db', 'x/.DS_Store', 'pagefile.sys'])('excludes %s', (file) =>
      expect(unfiltered.takesFile(file)).toBe(false),
    )

    it('includes names that only resemble system names', () => {
      expect(['$rec', 'lost', '.Trash-of-mine', 'Recycle.Bin'].map(unfiltered.entersFolder)).toEqual(
        Array(4).fill(true),
      )
      expect(['my desktop.ini', 'lost+found', 'Thumbs.db.wav'].map(unfiltered.takesFile)).toEqual(
        Array(3).fill(true),
      )
    })
  })

  it('without exclude patterns, includes hidden and temporary files', () => {
    const unfiltered = createFolderFilter({ ...defaultPatterns, exclude: [] })
    for (const path of ['.a', '.x/.y/.z', '..a', 'a.tmp']) expect(unfiltered.takesFile(path)).toBe(true)
  })

  it('includes only files that match an include pattern, and none if there is no pattern', () => {
    const filtered = createFolderFilter(
      { ...defaultPatterns, include: ['*.wav', 'in/**/*.mcap'] },
      linuxPaths,
    )
    expect(['a.wav', 'x/a.wav', 'in/a.mcap', 'in/x/y/a.mcap', 'a.WAV'].map(filtered.takesFile)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ])
    expect(createFolderFilter({ ...defaultPatterns, include: [] }).takesFile('a')).toBe(false)
  })

  it('excludes marker files, in any case of the suffix if the file system ignores case', () => {
    const marked = { ...defaultPatterns, marker_suffix: '.done' }
    const names = ['take.bin', 'take.bin.done', 'x/take.bin.DONE', 'done']
    expect(names.map(createFolderFilter(marked, linuxPaths).takesFile)).toEqual([true, false, true, true])
    expect(names.map(createFolderFilter(marked, windowsPaths).takesFile)).toEqual([true, false, false, true])
  })

  it('ignores case if the file system does', () => {
    expect(
      createFolderFilter({ ...defaultPatterns, include: ['*.wav'] }, windowsPaths).takesFile('A.WAV'),
    ).toBe(true)
  })

  it('ignores the Unicode form if the file system does', () => {
    const takesDecomposed = (paths: Paths) =>
      createFolderFilter({ ...defaultPatterns, include: ['t\u00fcr*'] }, paths).takesFile('tu\u0308r.wav')
    expect([takesDecomposed(macPaths), takesDecomposed(linuxPaths)]).toEqual([true, false])
  })
})

describe('names that are not valid UTF-8', () => {
  it.each([
    [[0x61, 0xff, 0x2e], 'a\\xff.'],
    [[0xc3, 0xbc, 0xe2, 0x82], 'ü\\xe2\\x82'],
    [[0xed, 0xa0, 0x80], '\\xed\\xa0\\x80'],
    [[0xf0, 0x9f, 0x98, 0x80, 0x80], '😀\\x80'],
  ])('%j is shown as %j', (bytes, text) => expect(escapeName(Uint8Array.from(bytes))).toBe(text))
})

describe('a watcher that fails', () => {
  const systemError = (code: string) => Object.assign(new Error(code), { code, syscall: 'watch' })

  it.each<[NodeJS.Platform, string, string]>([
    ['linux', 'ENOSPC', 'max_user_watches'],
    ['linux', 'EMFILE', 'max_user_instances'],
    ['darwin', 'ENOSPC', 'Watch fewer folders'],
    ['darwin', 'EMFILE', 'launchctl limit maxfiles'],
    ['win32', 'ENOSPC', 'Close programs that watch many folders'],
    ['win32', 'EMFILE', 'Close programs that hold many files open'],
    ['win32', 'EPERM', 'just been removed'],
    ['linux', 'EPERM', 'permission to read'],
    ['linux', 'EIO', 'read error'],
  ])('explains on %s how to fix %s', (platform, code, advice) => {
    const sentence = describeWatchError(systemError(code), platform)
    expect(sentence).toContain(code)
    expect(sentence).toContain(advice)
    if (platform !== 'linux') expect(sentence).not.toContain('inotify')
  })
})
