import { test } from 'vitest'
import { checkRandomRemovals } from '../support/model/removal-story.ts'

test('only safe files are removed in 1,000 random sequences of kills, changes and full target drives', () =>
  checkRandomRemovals(1_000))
