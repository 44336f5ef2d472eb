import { test } from 'vitest'
import { removesOnlyWhatIsSafe } from '../support/model/removal-story.ts'

test('1,000 stories of kills, changes and full targets: only safe files are removed', () =>
  removesOnlyWhatIsSafe(1_000))
