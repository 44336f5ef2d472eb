import { expect, test } from 'vitest'
import { serviceWords, stateWords } from '../../../../renderer/components/status-bar-words.ts'
import { aStatus } from '../../main/shell/status-fixture.ts'

const { station } = aStatus({ station: { state: 'paused', paused: true, serviceReachable: null } })

test('a pause before the first request is not shown as a connection problem', () => {
  expect([stateWords(station).word, serviceWords(station)]).toEqual(['Paused', ''])
  expect(serviceWords({ ...station, serviceReachable: true })).toBe('Service reachable')
  expect(serviceWords({ ...station, paused: false, state: 'working' })).toBe('Connecting…')
})

test('the status bar shows a user’s pause even if there is a problem', () => {
  expect(serviceWords({ ...station, state: 'attention', serviceReachable: true })).toBe('Paused by you')
})
