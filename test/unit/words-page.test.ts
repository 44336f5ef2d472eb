import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { wordsPage } from '../../scripts/docs/words-page.ts'
import { nightParts, standingsIn } from '../../shared/night-parts.ts'
import { standings } from '../../shared/status.ts'
import { standingWords } from '../../shared/words.ts'

test('docs/words.md says what the code says; `npm run words-page` writes it', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/words.md'), 'utf8')
  expect(page).toBe(wordsPage())
})

test('every standing is in one part of the night, has a word of its own, and only one is green', () => {
  expect(nightParts.flatMap((part) => standingsIn[part]).sort()).toEqual([...standings].sort())
  expect(new Set(standings.map((standing) => standingWords[standing].word)).size).toBe(standings.length)
  expect(standings.filter((standing) => standingWords[standing].tone === 'good')).toEqual(['safe'])
  expect(standings.filter((standing) => standingWords[standing].tone === 'warn')).toEqual(['needs-someone'])
})
