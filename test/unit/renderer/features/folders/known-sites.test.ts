import { expect, test } from 'vitest'
import { findSimilarSite, mergeSites } from '../../../../../renderer/features/folders/known-sites.ts'

const knownSites = ['Hall 3', 'Hall 4', 'Test track', 'Yard']

test.each([
  ['hall 3', 'Hall 3'],
  ['Hall-3', 'Hall 3'],
  ['Hal 3', 'Hall 3'],
  ['Halll 4', 'Hall 4'],
  ['Test trak', 'Test track'],
  ['Tset track', 'Test track'],
  ['Hall 5', null],
  ['Hall 33', null],
  // A short name may be a typing error or a different name.
  ['Yad', null],
  ['Warehouse', null],
])('for the typed site %s, suggests %s', (typed, suggestion) => {
  expect(findSimilarSite(typed, knownSites)).toBe(suggestion)
})

test('each site is offered once, and the sites of the settings come first', () => {
  expect(
    mergeSites([{ site: 'Yard' }, { site: 'Hall 3' }, { site: 'Yard' }], ['Hall 3', 'Old hall']),
  ).toEqual(['Yard', 'Hall 3', 'Old hall'])
})
