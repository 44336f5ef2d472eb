import { test } from 'vitest'
import { checkRandomStories } from '../support/model/story.ts'

test('every file is processed without user action in 2,000 random sequences of failures and kills', () =>
  checkRandomStories(2_000))
