import { test } from 'vitest'
import { checkRandomRemovals } from '../../support/model/removal-story.ts'
import { runs } from '../../support/runs.ts'

test('removes only safe files despite crashes at every step, changes and full target drives', () =>
  checkRandomRemovals(runs(20)))
