import { test } from 'vitest'
import { keepsItsPromises } from '../../support/model/story.ts'

test('any sequence of failures that ends, in any state, with kills: everything is processed without a person', () =>
  keepsItsPromises(30))
