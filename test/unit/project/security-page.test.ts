import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../../..')
const page = readFileSync(path.join(root, 'docs/security.md'), 'utf8')

/** `test/…`: “one name”, “another” and “a third”. */
const cited = [...page.matchAll(/`(test\/[^`]+)`((?:(?::|,| and) “[^”]+”)*)/g)].map(
  ([, file = '', names = '']) => ({
    file,
    names: [...names.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name),
  }),
)

test('every test name that the security page quotes follows the file that contains it', () => {
  expect(cited.length).toBeGreaterThan(40)
  expect(cited.flatMap(({ names }) => names)).toHaveLength(page.match(/“/g)?.length ?? 0)
})

test.each(cited)('the security page cites existing tests: $file $names', ({ file, names }) => {
  expect(names).not.toEqual([])
  expect(existsSync(path.join(root, file))).toBe(true)
  const source = readFileSync(path.join(root, file), 'utf8')
  const isTitle = (name: string) =>
    ["'", '"', '`'].some((quote) => source.includes(`${quote}${name}${quote}`))
  expect(names.filter((name) => !isTitle(name))).toEqual([])
})

test('every row of the security page names a test', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.split(' | ').length === 3)
  const shown = rows.filter((row) => !row.startsWith('| they try'))
  expect(shown.length).toBeGreaterThan(30)
  expect(shown.filter((row) => !/`test\/[^`]+`: “/.test(row))).toEqual([])
})
