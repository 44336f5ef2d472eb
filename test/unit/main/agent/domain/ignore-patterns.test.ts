import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ignorePatterns } from '../../../../../main/agent/domain/ignore-patterns.ts'
import { createFolderFilter } from '../../../../../main/agent/platform/folders/folder-filter.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'
import { isPlainGlob } from '../../../../../shared/paths/plain-glob.ts'

test.each([
  ['take.log', ['**/take.log', '**/*.log']],
  [
    'hall3_20260312_0649.mcap',
    ['**/hall3_20260312_0649.mcap', '**/hall3_*_*.mcap', '**/hall3_*.mcap', '**/*.mcap'],
  ],
  ['calibration/left-07.bin', ['**/left-07.bin', '**/left-*.bin', '**/*.bin', 'calibration/**']],
  ['a, b (2).txt', ['**/a? b ?2?.txt', '**/a? *.txt', '**/*.txt']],
  ['.trace', ['**/.trace']],
  ['README', ['**/README']],
])('proposes patterns for %s, the narrowest first', (file, patterns) => {
  expect(ignorePatterns(file)).toEqual(patterns)
})

test('every proposal matches the file, whatever its name', () => {
  const name = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 40 })
    .filter((text) => !/[/\0]/.test(text))
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), (names) => {
      const file = names.join('/')
      fc.pre(!names.some((one) => one === '.' || one === '..'))
      for (const pattern of ignorePatterns(file)) {
        expect(isPlainGlob(pattern), pattern).toBe(true)
        const filter = createFolderFilter(
          { include: ['**/*'], exclude: [pattern], recursive: true },
          linuxPaths,
        )
        expect([pattern, filter.takesFile(file)]).toEqual([pattern, false])
      }
    }),
  )
})
