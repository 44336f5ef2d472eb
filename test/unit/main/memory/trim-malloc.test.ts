import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { trimMalloc } from '../../../../main/memory/trim-malloc.ts'
import { linux, type Need, needs } from '../../../support/needs.ts'

/** Electron may have an allocator of its own, which `malloc_trim` does not reach. */
const plainNode: Need = () => (process.versions.electron === undefined ? null : 'Node without Electron')

/** Frees most of 60 MB of small pieces, so that the free memory is between pieces that are in use. */
const program = `
import { readFileSync } from 'node:fs'
import { trimMalloc } from ${JSON.stringify(path.resolve('main/memory/trim-malloc.ts'))}
const residentBytes = () => Number(/^Rss:\\s+(\\d+)/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))[1]) * 1024
let pieces = Array.from({ length: 30_000 }, () => Buffer.allocUnsafeSlow(2_000).fill(1))
pieces = pieces.filter((_, index) => index % 100 === 99)
for (let turn = 0; turn < 5; turn += 1) {
  gc()
  await new Promise((resolve) => setTimeout(resolve, 10))
}
const before = residentBytes()
trimMalloc()
console.log(before - residentBytes(), pieces.length)
`

test(
  'returns free memory to the system, even if it is between pieces that are still in use',
  needs(linux, plainNode),
  () => {
    const out = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', program], {
      encoding: 'utf8',
    })
    expect(Number(out.split(' ')[0])).toBeGreaterThan(20_000_000)
  },
)

test('does nothing on systems without `malloc_trim`', () => {
  for (const platform of ['win32', 'darwin'] as const) expect(() => trimMalloc(platform)).not.toThrow()
})

test('loads the C library only once, because each load takes memory', needs(linux), () => {
  const load = vi.spyOn(createRequire(import.meta.url)('koffi') as { load: () => unknown }, 'load')
  for (let n = 0; n < 3; n += 1) trimMalloc('linux')
  expect(load.mock.calls.length).toBeLessThanOrEqual(1)
  load.mockRestore()
})
