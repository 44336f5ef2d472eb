import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

/**
 * Only `shared/paths` may compare paths. Other code easily forgets that Windows ignores case, that the root of a drive
 * ends with a separator, or that macOS ignores the Unicode form. This test finds the usual kinds of comparisons.
 */

const ROOT = path.join(import.meta.dirname, '../../..')
const ALLOWED_FOLDER = /^shared\/paths\//

/** The usual names of paths: `folder.path`, `root`, `innerFolder`, `file`. */
const PATH_NAME = String.raw`\b(?:path|folder|root|file|dir|base|prefix|\w+(?:Path|Folder|Root|File|Dir))\b`

const manualComparisons: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  {
    what: 'uses a function of node:path that compares paths',
    pattern:
      /\bpath\.(?:sep|relative|isAbsolute|normalize|matchesGlob|toNamespacedPath|posix|win32)\b|import \{[^}]*\b(?:sep|relative|isAbsolute|normalize|matchesGlob|toNamespacedPath|posix|win32)\b[^}]*\} from 'node:path'/,
  },
  {
    what: 'compares a part or the case of a path',
    pattern: new RegExp(
      `${PATH_NAME}\\??\\.(?:startsWith|endsWith|localeCompare|toLowerCase|toUpperCase|normalize)\\(`,
    ),
  },
  {
    what: 'compares two paths letter by letter',
    pattern: new RegExp(
      `${PATH_NAME}\\)? [!=]== (?:path\\.\\w+\\()?[\\w.?]*${PATH_NAME}|\\.path [!=]== (?!null|undefined)[a-z]|[!=]== [\\w.?]+\\.(?:path|folder)\\b`,
    ),
  },
  {
    what: 'compares a path in the journal letter by letter',
    pattern: /\bWHERE [^'`]*\bfolder (?:=|<>|IN|LIKE) /,
  },
]

const isComment = (line: string): boolean => /^\s*(?:\/?\*|\/\/)/.test(line)

const findFaults = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      isComment(line)
        ? []
        : manualComparisons
            .filter(({ pattern }) => pattern.test(line))
            .map(({ what }) => `${index + 1} ${what}: ${line.trim()}`),
    )

test('no file of `main` or `shared` compares paths without `shared/paths`', () => {
  const allFaults: string[] = []
  // The page may compare paths with `===`, because all its paths come from the agent.
  for (const top of ['main', 'shared'])
    for (const file of readdirSync(path.join(ROOT, top), { recursive: true, encoding: 'utf8' })) {
      const name = `${top}/${file.replaceAll('\\', '/')}`
      if (!name.endsWith('.ts') || ALLOWED_FOLDER.test(name)) continue
      for (const fault of findFaults(readFileSync(path.join(ROOT, name), 'utf8')))
        allFaults.push(`${name}:${fault}`)
    }
  expect(allFaults).toEqual([])
})

test.each([
  "import { relative, sep } from 'node:path'",
  'const way = path.relative(root, file)',
  'folders.filter((other) => other.path.startsWith(folder.path + path.sep))',
  'roots.some((root) => path.startsWith(root + sep))',
  'const isIn = path.resolve(inner).startsWith(path.resolve(outer) + path.sep)',
  'watched.some((other) => path.resolve(other.path) === folder)',
  'folders.find((folder) => folder.path === recording.folder)',
  'folders.find(({ path }) => path === now.folder)',
  'if (path.dirname(folder) === folder) return',
  'const same = a.path.toLowerCase() === b.path.toLowerCase()',
  "db.prepare('SELECT * FROM recordings WHERE folder = ? AND current = 1')",
])('detects: %s', (line) => expect(findFaults(line)).not.toEqual([]))

test.each([
  "if (file !== null && file.path === '') return",
  "import { basename, join } from 'node:path'",
  'if (rootOf(path) !== null) return',
  'paths.same(folder.path, recording.folder)',
  "error.code.startsWith('SQLITE_')",
])('accepts: %s', (line) => expect(findFaults(line)).toEqual([]))
