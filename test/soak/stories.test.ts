import { test } from 'vitest'
import { checkRandomStories } from '../support/model/story.ts'

test('2,000 stories of failures and kills: everything is processed without a user', () =>
  checkRandomStories(2_000))
