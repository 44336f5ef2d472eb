import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const compressedBytes = (folder: string): number => {
  const assets = path.join(import.meta.dirname, '../../out', folder, 'assets')
  return readdirSync(assets).reduce(
    (sum, file) => sum + gzipSync(readFileSync(path.join(assets, file))).length,
    0,
  )
}

it('the page is smaller than 500 kB, compressed', () => {
  expect(compressedBytes('renderer')).toBeLessThan(500_000)
})

it('the page of the server, which loads over the network, is smaller than 250 kB, compressed', () => {
  expect(compressedBytes('main/lab-page')).toBeLessThan(250_000)
})
