import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../../..')

/** The file names that a pattern such as `a/{b,c}.test.ts` stands for. */
const expand = (pattern: string): string[] => {
  const braces = /\{([^{}]+)\}/.exec(pattern)
  if (braces === null) return [pattern]
  const [all = '', names = ''] = braces
  return names.split(',').flatMap((name) => expand(pattern.replace(all, name)))
}

test('every test file that `vitest.config.ts` names exists, so that a moved test still runs', () => {
  const config = readFileSync(path.join(root, 'vitest.config.ts'), 'utf8')
  const patterns = [...config.matchAll(/'(test\/[^'*]+\.test\.ts)'/g)].map(([, pattern = '']) => pattern)
  expect(patterns.length).toBeGreaterThan(5)
  expect(patterns.flatMap(expand).filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})
