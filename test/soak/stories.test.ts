import { test } from 'vitest'
import { keepsItsPromises } from '../support/model/story.ts'

test('2,000 stories of failures and kills: everything is processed without a user', () =>
  keepsItsPromises(2_000))
