import { expect, test } from 'vitest'
import { agentToStart } from '../../../../../main/shell/system/agent-to-start.ts'

const WINDOW = '/home/anna/sluice'
const SERVICE = '/var/lib/sluice'

type Situation = Parameters<typeof agentToStart>[0]

const startIn = (situation: Partial<Situation>) =>
  agentToStart({
    agent: null,
    dataFolder: WINDOW,
    movedTo: null,
    otherStations: [SERVICE],
    hasOwnStation: () => true,
    isServiceMissing: async () => false,
    ...situation,
  })

const ofService = { host: 'service', dataFolder: SERVICE } as const
const ofUserService = { host: 'service', dataFolder: WINDOW } as const
const isServiceMissing = async () => true

test('a window starts the agent that it was attached to', async () => {
  expect(await startIn({})).toBe('own')
  expect(await startIn({ agent: { host: 'terminal', dataFolder: WINDOW } })).toBe('own')
  expect(await startIn({ agent: ofService })).toBe('service')
  expect(await startIn({ agent: ofUserService })).toBe('user service')
})

test('a window starts the service to which its station has moved', async () => {
  expect(await startIn({ movedTo: SERVICE })).toBe('service')
  // If the service is missing, the user must see that it does not start. The window's own agent must not replace it.
  expect(await startIn({ agent: ofService, movedTo: SERVICE, isServiceMissing })).toBe('service')
})

test('a window starts its own agent if its station is back and the service was uninstalled', async () => {
  expect(await startIn({ agent: ofService, isServiceMissing })).toBe('own')
  expect(await startIn({ agent: ofUserService, isServiceMissing })).toBe('own')
})

test('a window without a station of its own starts no agent instead of a missing service', async () => {
  expect(await startIn({ agent: ofService, isServiceMissing, hasOwnStation: () => false })).toBe('service')
})
