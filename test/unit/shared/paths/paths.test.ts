import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { linuxPaths, macPaths, type Paths, pathsOf, windowsPaths } from '../../../../shared/paths/paths.ts'

/** These tests run the rules of all three systems on any system. */

const systems = [
  ['windows', windowsPaths],
  ['macos', macPaths],
  ['linux', linuxPaths],
] as const

/** Any name that a folder can list: not empty, not `.` or `..`, and without the separators of the system. */
const anyNameFor = ({ rules }: Paths) =>
  fc
    .oneof(
      fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
      fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }),
      fc.constantFrom(
        'a.wav',
        'A.WAV',
        'Tür',
        'TÜR',
        'Tu\u0308r',
        'con',
        'NUL.mcap',
        'a.',
        'a ',
        'straße',
        'ı',
        'K',
      ),
    )
    .filter((name) => name !== '.' && name !== '..' && !rules.separators.test(name))

const anyRootFor = ({ rules }: Paths) =>
  rules.hasDrives
    ? fc.constantFrom(
        'C:\\',
        'd:/',
        '\\\\nas-02\\capture\\',
        '//nas/rec/',
        '\\\\?\\D:\\',
        '\\\\?\\UNC\\nas\\rec\\',
        '\\\\?\\Volume{6f1a}\\',
      )
    : fc.constant('/')

const anyPathFor = (paths: Paths) =>
  fc
    .tuple(anyRootFor(paths), fc.array(anyNameFor(paths), { maxLength: 4 }))
    .map(([root, names]) => root + names.join(paths.rules.separator))

/** A different spelling of the same path, as users and programs write it. */
const respell = (paths: Paths, path: string, variant: readonly boolean[]): string => {
  let text = path
  const [slashes = false, letters = false, form = false, end = false, dots = false] = variant
  if (letters && paths.rules.fold !== null)
    text = text.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
  if (form && paths.rules.ignoresUnicodeForm)
    text = text.normalize(text.normalize('NFC') === text ? 'NFD' : 'NFC')
  if (slashes && paths.rules.hasDrives) text = text.replaceAll('\\', '/').replace(/^\/\/\?\//, '\\\\?\\')
  if (dots) text += `${paths.rules.separator}.${paths.rules.separator}x${paths.rules.separator}..`
  if (end) text += paths.rules.separator
  return text
}
const anyVariant = fc.array(fc.boolean(), { minLength: 5, maxLength: 5 })

describe.each(systems)('the paths of %s', (_, paths) => {
  const path = anyPathFor(paths)
  const name = anyNameFor(paths)

  test('all spellings of one path are the same path', () => {
    fc.assert(
      fc.property(path, anyVariant, anyVariant, (one, first, second) => {
        const [a, b] = [respell(paths, one, first), respell(paths, one, second)]
        expect(paths.same(one, one)).toBe(true)
        expect([paths.same(a, b), paths.same(b, a), paths.same(one, a)]).toEqual([true, true, true])
      }),
    )
  })

  test('`same` is an equivalence relation, and `contains` works for every spelling', () => {
    fc.assert(
      fc.property(path, path, path, (a, b, c) => {
        if (paths.same(a, b) && paths.same(b, c)) expect(paths.same(a, c)).toBe(true)
        expect(paths.same(a, b)).toBe(paths.same(b, a))
        if (paths.same(a, b)) {
          expect(paths.contains(c, a)).toBe(paths.contains(c, b))
          expect(paths.contains(a, c)).toBe(paths.contains(b, c))
        }
      }),
    )
  })

  test('a folder contains the paths in it at any depth, but not itself', () => {
    fc.assert(
      fc.property(path, name, name, anyVariant, (folder, first, second, spelling) => {
        const inner = paths.join(folder, first)
        const file = paths.join(inner, second)
        const outer = respell(paths, folder, spelling)
        expect(paths.contains(outer, inner)).toBe(true)
        expect(paths.contains(inner, file)).toBe(true)
        expect(paths.contains(outer, file)).toBe(true)
        expect([paths.contains(folder, outer), paths.contains(file, outer)]).toEqual([false, false])
      }),
    )
  })

  test('a joined name keeps its spelling', () => {
    fc.assert(
      fc.property(path, name, name, anyVariant, (folder, first, second, spelling) => {
        const file = paths.join(respell(paths, folder, spelling), `${first}/${second}`)
        expect(paths.nameInside(folder, file)).toBe(`${first}/${second}`)
        expect(paths.nameInside(file, folder)).toBeNull()
        expect(paths.nameInside(folder, respell(paths, folder, spelling))).toBe('')
        expect(paths.nameOf(file)).toBe(second)
      }),
    )
  })

  test('the finder finds the innermost folder', () => {
    fc.assert(
      fc.property(path, name, name, anyVariant, (folder, first, second, spelling) => {
        const inner = respell(paths, paths.join(folder, first), spelling)
        const find = paths.finder([folder, inner])
        expect(find(paths.join(inner, second))).toBe(inner)
        expect(find(inner)).toBe(folder)
        expect(find(folder)).toBeNull()
        expect(paths.finder([])(inner)).toBeNull()
      }),
    )
  })

  test('the forms in which a path is opened and shown are the same path', () => {
    fc.assert(
      fc.property(path, (one) => {
        expect(paths.same(paths.toOpen(one), one)).toBe(true)
        expect(paths.same(paths.show(one), one)).toBe(true)
        expect(paths.toOpen(paths.toOpen(one))).toBe(paths.toOpen(one))
      }),
    )
  })

  test('`isRoot` is true for a root, and false for paths in it', () => {
    fc.assert(
      fc.property(anyRootFor(paths), name, (root, below) => {
        expect([paths.isRoot(root), paths.isRoot(paths.join(root, below))]).toEqual([true, false])
        expect(paths.isAbsolute(root)).toBe(true)
        expect(paths.resolve(root, '..')).toBe(paths.resolve(root, '.'))
      }),
    )
  })
})

describe('Windows', () => {
  const { same, contains, join, isShare, toOpen, show, resolve, nameInside } = windowsPaths

  it.each([
    ['C:\\rec', 'c:\\REC'],
    ['C:\\rec', 'C:/rec/'],
    ['C:\\rec', '\\\\?\\C:\\rec'],
    ['C:\\rec', '\\\\.\\c:\\rec'],
    ['\\\\nas\\rec\\a', '\\\\?\\UNC\\NAS\\Rec\\A'],
    ['\\\\nas\\rec', '//nas/rec/'],
    ['D:', 'd:\\'],
    ['C:\\TÜR\\ς', 'c:\\tür\\Σ'],
  ])('%j and %j are the same', (a, b) => expect(same(a, b)).toBe(true))

  it.each([
    ['C:\\rec', 'D:\\rec'],
    ['C:\\rec\\a', 'C:\\rec\\a.'],
    ['C:\\rec\\a', 'C:\\rec\\a '],
    ['C:\\straße', 'C:\\strasse'],
    ['C:\\ı', 'C:\\i'],
    ['C:\\\u00b5', 'C:\\\u03bc'],
    ['C:\\tür', 'C:\\tu\u0308r'],
    ['C:\\\u{10428}', 'C:\\\u{10400}'],
    ['\\\\nas\\rec', '\\\\nas\\rec2'],
    ['\\\\?\\Volume{1}\\a', 'C:\\a'],
  ])('%j and %j are different', (a, b) => expect(same(a, b)).toBe(false))

  it('a path has one separator after its drive, however the drive is spelled', () => {
    expect(['D:', 'D:\\', 'D:/'].map((drive) => join(drive, 'in/a.wav'))).toEqual(
      Array(3).fill('D:\\in\\a.wav'),
    )
    expect(contains('D:\\', 'd:\\in\\a.wav')).toBe(true)
    expect(nameInside('D:\\', 'D:\\in\\a.wav')).toBe('in/a.wav')
    expect(contains('D:\\in', 'D:\\inner\\a.wav')).toBe(false)
    expect(join('\\\\nas\\rec', 'a')).toBe('\\\\nas\\rec\\a')
  })

  it('opens paths in the form that has no length limit and no reserved names', () => {
    expect(toOpen(`C:/rec/${'x'.repeat(300)}`)).toBe(`\\\\?\\C:\\rec\\${'x'.repeat(300)}`)
    expect(toOpen('\\\\nas\\rec\\aux.wav')).toBe('\\\\?\\UNC\\nas\\rec\\aux.wav')
    expect(toOpen('rec\\a')).toBe('rec\\a')
    expect(['D:\\', '\\\\?\\D:\\', 'd:'].map(toOpen)).toEqual(['D:\\', 'D:\\', 'd:\\'])
  })

  it.each([
    ['\\\\?\\C:\\rec\\a.wav', 'C:\\rec\\a.wav'],
    ['\\\\?\\UNC\\nas\\rec', '\\\\nas\\rec\\'],
    // Without the prefix, the next three paths would lead to a device or to a different file.
    ['C:\\rec\\con.wav', '\\\\?\\C:\\rec\\con.wav'],
    ['C:\\rec\\LPT1', '\\\\?\\C:\\rec\\LPT1'],
    ['C:\\rec\\take. ', '\\\\?\\C:\\rec\\take. '],
    ['C:\\rec\\contact.wav', 'C:\\rec\\contact.wav'],
  ])('shows %j as %j', (path, shown) => expect(show(path)).toBe(shown))

  it('recognises a share, and finds the drive of a path', () => {
    expect(['\\\\nas\\rec', '//nas/rec/a', '\\\\?\\UNC\\nas\\rec'].map(isShare)).toEqual([true, true, true])
    expect(['C:\\rec', '\\\\?\\C:\\rec', '\\\\.\\C:\\rec', 'rec'].map(isShare)).toEqual(Array(4).fill(false))
    expect(['d:\\rec\\a', '\\\\nas\\rec\\a', 'rec'].map(windowsPaths.driveOf)).toEqual([
      'd:\\',
      '\\\\nas\\rec\\',
      null,
    ])
  })

  it('resolves a relative path against a folder', () => {
    expect(resolve('C:\\cfg', 'rec')).toBe('C:\\cfg\\rec')
    expect(resolve('C:\\cfg', '..\\rec')).toBe('C:\\rec')
    expect(resolve('C:\\cfg', '\\rec')).toBe('C:\\rec')
    expect(resolve('C:\\cfg', 'd:/rec')).toBe('d:\\rec')
  })
})

describe('macOS', () => {
  it.each([
    ['/Volumes/Rec', '/volumes/rec'],
    ['/r/Tür', '/r/TU\u0308R'],
    ['/r/\u00e9', '/R/e\u0301'],
  ])('%j and %j are the same', (a, b) => expect(macPaths.same(a, b)).toBe(true))

  it('treats backslash and colon as ordinary characters', () => {
    expect(macPaths.same('/r/a\\b', '/r/a/b')).toBe(false)
    expect(macPaths.isAbsolute('C:\\rec')).toBe(false)
  })
})

describe('Linux', () => {
  it.each([
    ['/rec', '/REC'],
    ['/r/\u00e9', '/r/e\u0301'],
    ['/r/a\\b', '/r/a/b'],
    ['/r/a', '/r/a '],
  ])('%j and %j are different', (a, b) => expect(linuxPaths.same(a, b)).toBe(false))

  it.each([
    ['/a/b/c.wav', ['/a', '/a/b', '/x'], '/a/b'],
    ['/a/b/c.wav', ['/a/b/', '/a'], '/a/b/'],
    ['/a/b/c.wav', ['/'], '/'],
    ['/ab/c.wav', ['/a'], null],
    ['/a/..c.wav', ['/a'], '/a'],
    ['/a', ['/a'], null],
  ])('the innermost folder of %s among %j is %s', (path, folders, root) =>
    expect(linuxPaths.finder(folders)(path)).toBe(root),
  )

  it('leaves every path unchanged, and has no shares', () => {
    expect([linuxPaths.toOpen('/rec/con'), linuxPaths.show('/rec/con')]).toEqual(['/rec/con', '/rec/con'])
    expect(linuxPaths.isShare('\\\\nas\\rec')).toBe(false)
  })
})

test('each system has its own path rules', () => {
  expect(['win32', 'darwin', 'linux', 'freebsd'].map((platform) => pathsOf(platform).rules.system)).toEqual([
    'windows',
    'macos',
    'linux',
    'linux',
  ])
})
