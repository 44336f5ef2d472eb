import { test } from 'vitest'
import { removesOnlyWhatIsSafe } from '../../support/model/removal-story.ts'

test('kills at every step, files and sessions that change meanwhile, full targets: only what is safe is removed', () =>
  removesOnlyWhatIsSafe(20))
