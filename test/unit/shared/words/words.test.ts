import { expect, test } from 'vitest'
import { nightParts, standingsIn } from '../../../../shared/status/night-parts.ts'
import { standings } from '../../../../shared/status/standing.ts'
import { splitDetail, standingWords } from '../../../../shared/words/words.ts'

test('every standing has its own word and belongs to one part of the night bar; only “safe” is green', () => {
  expect(nightParts.flatMap((part) => standingsIn[part]).sort()).toEqual([...standings].sort())
  expect(new Set(standings.map((standing) => standingWords[standing].word)).size).toBe(standings.length)
  expect(standings.filter((standing) => standingWords[standing].tone === 'good')).toEqual(['safe'])
  expect(standings.filter((standing) => standingWords[standing].tone === 'warn')).toEqual(['needs-attention'])
})

test('the technical detail of a problem can be separated from its sentence', () => {
  expect(splitDetail('The service cannot be reached. (host: refused (ECONNREFUSED))')).toEqual({
    plain: 'The service cannot be reached.',
    detail: 'host: refused (ECONNREFUSED)',
  })
  expect(splitDetail('No API key is set.')).toEqual({ plain: 'No API key is set.', detail: null })
})
