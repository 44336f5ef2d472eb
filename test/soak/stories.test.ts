import { test } from 'vitest'
import { checkRandomStories } from '../support/model/story.ts'

test('everything is processed without a user in 2,000 random stories of failures and kills', () =>
  checkRandomStories(2_000))
