import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type CallExpression, type Expression, parseSync, Visitor } from 'oxc-parser'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../../..')
const page = readFileSync(path.join(root, 'docs/security.md'), 'utf8')

/** The page cites tests in the form `test/…`: “one title”, “another title” and “a third title”. */
const citations = [...page.matchAll(/`(test\/[^`]+\.ts)`((?:(?::|,| and) “[^”]+”)*)/g)].map(
  ([, file = '', quotes = '']) => ({
    file,
    titles: [...quotes.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title),
  }),
)

/** Returns `test` for `test(…)`, `test.each([…])(…)` and `test.prop(…)(…)`. */
const functionName = (callee: Expression): string | null => {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type === 'CallExpression') return functionName(callee.callee)
  return callee.type === 'MemberExpression' ? functionName(callee.object) : null
}

const titleOf = ({ arguments: [first] }: CallExpression): string | null =>
  first?.type === 'Literal' && typeof first.value === 'string' ? first.value : null

/**
 * The titles that the page may quote. A test in a suite is quoted as “suite: test”, because its own title often has no
 * subject.
 */
const quotableTitles = (file: string): readonly string[] => {
  const { program, errors } = parseSync(file, readFileSync(path.join(root, file), 'utf8'))
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`)
  const titles: string[] = []
  const suites: { readonly title: string; readonly call: CallExpression }[] = []
  new Visitor({
    CallExpression: (call) => {
      const name = functionName(call.callee)
      const title = titleOf(call)
      if (name === null || title === null) return
      if (name.startsWith('describe')) suites.push({ title, call })
      if (name !== 'test' && name !== 'it') return
      const suite = suites.at(-1)?.title
      titles.push(suite === undefined ? title : `${suite.replace(/:$/, '')}: ${title}`)
    },
    'CallExpression:exit': (call) => {
      if (suites.at(-1)?.call === call) suites.pop()
    },
  }).visit(program)
  return titles
}

test('the security page names the test file before each title that it quotes', () => {
  expect(citations.length).toBeGreaterThan(40)
  expect(citations.flatMap(({ titles }) => titles)).toHaveLength(page.match(/“/g)?.length ?? 0)
})

test.each(citations)('the security page cites existing tests: $file $titles', ({ file, titles }) => {
  expect(titles).not.toEqual([])
  expect(existsSync(path.join(root, file))).toBe(true)
  const quotable = quotableTitles(file)
  expect(titles.filter((title) => !quotable.includes(title))).toEqual([])
})

test('every row of the security page names a test', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.split(' | ').length === 3)
  const testRows = rows.filter((row) => !row.startsWith('| they try'))
  expect(testRows.length).toBeGreaterThan(30)
  expect(testRows.filter((row) => !/`test\/[^`]+`: “/.test(row))).toEqual([])
})
