import { test } from 'vitest'
import { checkRandomStories } from '../../support/model/story.ts'
import { runs } from '../../support/runs.ts'

test('processes everything without a user after any sequence of failures and crashes', () =>
  checkRandomStories(runs(30)))
