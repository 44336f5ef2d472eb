import { expect, test } from 'vitest'
import { nightParts, standingsIn } from '../../../../shared/status/night-parts.ts'
import { standings } from '../../../../shared/status/status.ts'
import { standingWords } from '../../../../shared/words/words.ts'

test('every standing is in one part of the night, has its own word, and only one is green', () => {
  expect(nightParts.flatMap((part) => standingsIn[part]).sort()).toEqual([...standings].sort())
  expect(new Set(standings.map((standing) => standingWords[standing].word)).size).toBe(standings.length)
  expect(standings.filter((standing) => standingWords[standing].tone === 'good')).toEqual(['safe'])
  expect(standings.filter((standing) => standingWords[standing].tone === 'warn')).toEqual(['needs-attention'])
})
