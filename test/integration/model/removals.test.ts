import { test } from 'vitest'
import { removesOnlyWhatIsSafe } from '../../support/model/removal-story.ts'
import { runs } from '../../support/runs.ts'

test('removes only safe files despite crashes at every step, changes and full targets', () =>
  removesOnlyWhatIsSafe(runs(20)))
