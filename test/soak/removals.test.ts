import { test } from 'vitest'
import { checkRandomRemovals } from '../support/model/removal-story.ts'

test('1,000 stories of kills, changes and full targets: only safe files are removed', () =>
  checkRandomRemovals(1_000))
