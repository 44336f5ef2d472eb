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

test('a window that was attached to the background service starts it again; any other window starts its own agent', async () => {
  expect(await startIn({})).toBe('own')
  expect(await startIn({ agent: { host: 'terminal', dataFolder: WINDOW } })).toBe('own')
  expect(await startIn({ agent: ofService })).toBe('service')
  expect(await startIn({ agent: ofUserService })).toBe('user service')
})

test('a window starts the background service to which its station has moved', async () => {
  expect(await startIn({ movedTo: SERVICE })).toBe('service')
  // If the background service is missing, the user must see this: the window starts no agent of its own.
  expect(await startIn({ agent: ofService, movedTo: SERVICE, isServiceMissing })).toBe('service')
})

test('if the background service is missing, a window with a station starts its own agent', async () => {
  expect(await startIn({ agent: ofService, isServiceMissing })).toBe('own')
  expect(await startIn({ agent: ofUserService, isServiceMissing })).toBe('own')
})

test('a window without a station of its own never starts its own agent, even if the background service is missing', async () => {
  expect(await startIn({ agent: ofService, isServiceMissing, hasOwnStation: () => false })).toBe('service')
})
