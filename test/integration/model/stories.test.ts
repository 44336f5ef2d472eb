import { test } from 'vitest'
import { keepsItsPromises } from '../../support/model/story.ts'
import { runs } from '../../support/runs.ts'

test('processes everything without a user after any sequence of failures and crashes', () =>
  keepsItsPromises(runs(30)))
