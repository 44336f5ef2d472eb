import { test } from 'vitest'
import { keepsItsPromises } from '../../support/model/story.ts'

test('processes everything without a user after any sequence of failures and crashes', () =>
  keepsItsPromises(30))
