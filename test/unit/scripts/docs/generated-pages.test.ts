import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { generatedPages } from '../../../../scripts/docs/pages.ts'

test.each(generatedPages)('$file matches the code; `npm run docs` writes it', ({ file, render }) => {
  const page = readFileSync(path.join(import.meta.dirname, '../../../..', file), 'utf8')
  expect(page).toBe(render())
})
