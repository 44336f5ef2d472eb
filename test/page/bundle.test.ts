import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const MAX_BYTES = 500_000

it('the page is smaller than 500 kB, compressed', () => {
  const assets = path.join(import.meta.dirname, '../../out/renderer/assets')
  const bytes = readdirSync(assets).reduce(
    (sum, file) => sum + gzipSync(readFileSync(path.join(assets, file))).length,
    0,
  )
  expect(bytes).toBeLessThan(MAX_BYTES)
})
