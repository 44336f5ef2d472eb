import { describe, expect, it } from 'vitest'
import { createFolderFilter } from '../../main/agent/platform/folders/folder-filter.ts'
import { describeWatchError } from '../../main/agent/platform/folders/folder-watch.ts'
import { escapeName } from '../../main/agent/platform/folders/name-escape.ts'

const byDefault = {
  include: ['**/*'],
  exclude: ['**/.*', '**/*.part', '**/*.tmp', '**/*.active'],
  recursive: true,
}

describe('which files a folder takes', () => {
  const filter = createFolderFilter(byDefault, 'linux')

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
  ])('takes %j', (path) => expect(filter.takesFile(path)).toBe(true))

  it.each(['.a', 'x/.a', 'a.part', 'x/a.tmp', 'x/a.bag.active', 'line\nbreak.tmp', '.\n'])(
    'leaves %j out',
    (path) => expect(filter.takesFile(path)).toBe(false),
  )

  it('does not enter an excluded folder', () => {
    expect(filter.entersFolder('x')).toBe(true)
    expect(filter.entersFolder('x/.cache')).toBe(false)
    expect(createFolderFilter({ ...byDefault, recursive: false }).entersFolder('x')).toBe(false)
  })

  it("does not enter the system's own folders of a drive", () => {
    const all = createFolderFilter({ ...byDefault, exclude: [] }, 'linux')
    expect(['lost+found', '$RECYCLE.BIN', 'x/lost+found'].map(all.entersFolder)).toEqual([false, false, true])
  })

  it('leaves nothing out when nothing is excluded, hidden files neither', () => {
    const all = createFolderFilter({ ...byDefault, exclude: [] })
    for (const path of ['.a', '.x/.y/.z', '..a', 'a.tmp']) expect(all.takesFile(path)).toBe(true)
  })

  it('takes only what is included, and nothing when that is nothing', () => {
    const some = createFolderFilter({ ...byDefault, include: ['*.wav', 'in/**/*.mcap'] }, 'linux')
    expect(['a.wav', 'x/a.wav', 'in/a.mcap', 'in/x/y/a.mcap', 'a.WAV'].map(some.takesFile)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ])
    expect(createFolderFilter({ ...byDefault, include: [] }).takesFile('a')).toBe(false)
  })

  it('ignores case where the file system does', () => {
    expect(createFolderFilter({ ...byDefault, include: ['*.wav'] }, 'win32').takesFile('A.WAV')).toBe(true)
  })
})

describe('names that are no valid UTF-8', () => {
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
    ['linux', 'EPERM', 'right to read'],
    ['linux', 'EIO', 'read error'],
  ])('says on %s what to do about %s', (platform, code, advice) => {
    const sentence = describeWatchError(systemError(code), platform)
    expect(sentence).toContain(code)
    expect(sentence).toContain(advice)
    if (platform !== 'linux') expect(sentence).not.toContain('inotify')
  })
})
