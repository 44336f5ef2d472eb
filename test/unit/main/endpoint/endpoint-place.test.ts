import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  findPlace,
  forgetPlace,
  groupPlaces,
  otherPlace,
  recordPlace,
  removeStale,
  usualPlace,
} from '../../../../main/endpoint/endpoint-place.ts'
import { posixGroupId, windowsGroupId } from '../../../../main/endpoint/group-id.ts'
import { needs, posix, root } from '../../../support/needs.ts'

const STRANGER_UID = 65533
const OWNER_UID = 64_322

let base: string
let servers: Server[]
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-place-'))
  servers = []
})
afterEach(async () => {
  for (const server of servers) await new Promise((resolve) => server.close(resolve))
  rmSync(base, { recursive: true, force: true })
})

const makeFolder = (...names: string[]): string => {
  const created = path.join(base, ...names)
  mkdirSync(created, { recursive: true, mode: 0o700 })
  return created
}

const listen = async (socket: string): Promise<void> => {
  const server = createServer()
  servers.push(server)
  await new Promise<void>((resolve) => {
    server.listen(socket, resolve)
  })
}

const otherPlaceWith = (environment: Record<string, string>, hasGroup = false) =>
  otherPlace(makeFolder('data'), { platform: 'linux', environment, hasGroup })

describe('the place of an endpoint', needs(posix), () => {
  test('is in the data folder, where clients find it', async () => {
    const data = makeFolder('data')
    expect(findPlace(data, 'linux')).toBeNull()
    await listen(usualPlace(data, 'linux')!.path)
    expect(findPlace(data, 'linux')).toEqual({ path: path.join(data, 'agent.sock'), token: null })
  })

  test('is outside the data folder if the path of the data folder is too long; a file in the data folder names the place', async () => {
    const data = makeFolder('a'.repeat(100), 'data')
    expect(usualPlace(data, 'linux')).toBeNull()
    const place = otherPlace(data, {
      platform: 'linux',
      environment: { XDG_RUNTIME_DIR: makeFolder('run') },
      hasGroup: false,
    })
    expect(path.dirname(place.path)).toBe(path.join(base, 'run', 'sluice'))
    expect(statSync(path.dirname(place.path)).mode & 0o777).toBe(0o700)
    await listen(place.path)
    recordPlace(data, place)
    expect(findPlace(data, 'linux')).toEqual(place)
    forgetPlace(data)
    expect(findPlace(data, 'linux')).toBeNull()
  })

  test('differs for each data folder', () => {
    const environment = { XDG_RUNTIME_DIR: makeFolder('run') }
    const options = { platform: 'linux', environment, hasGroup: false } as const
    expect(otherPlace(makeFolder('one'), options).path).not.toBe(otherPlace(makeFolder('two'), options).path)
  })

  test('is in the runtime folder of the background service, with a separate socket for a group', () => {
    const run = makeFolder('run', 'sluice')
    expect(otherPlaceWith({ RUNTIME_DIRECTORY: run }, true).path).toBe(path.join(run, 'agent.sock'))
    const ownSocket = otherPlaceWith({ RUNTIME_DIRECTORY: run }).path
    expect(path.dirname(ownSocket)).toBe(run)
    expect(ownSocket).not.toBe(path.join(run, 'agent.sock'))
  })

  test('is in a new folder that a group can enter, but not list', () => {
    otherPlaceWith({ RUNTIME_DIRECTORY: path.join(base, 'run', 'new') }, true)
    expect(statSync(path.join(base, 'run', 'new')).mode & 0o777).toBe(0o711)
  })

  test('is never in a folder that others may write to', () => {
    const run = makeFolder('run', 'sluice')
    chmodSync(run, 0o777)
    expect(() => otherPlaceWith({ RUNTIME_DIRECTORY: run })).toThrow('Other accounts can change')
  })

  test('is never in a folder of a different user', needs(root), () => {
    const run = makeFolder('run', 'sluice')
    chownSync(run, STRANGER_UID, STRANGER_UID)
    expect(() => otherPlaceWith({ RUNTIME_DIRECTORY: run })).toThrow('Other accounts can change')
  })

  test('is in /tmp if the runtime folder of the user cannot be used', () => {
    const foreign = makeFolder('run', 'sluice')
    chmodSync(foreign, 0o777)
    const { path: socket } = otherPlaceWith({ XDG_RUNTIME_DIR: path.join(base, 'run') })
    expect(path.dirname(path.dirname(socket))).toBe('/tmp')
  })

  test('on Windows is a pipe with an unpredictable name and a token', () => {
    const options = { platform: 'win32', environment: {}, hasGroup: false } as const
    const [one, two] = [otherPlace(makeFolder('data'), options), otherPlace(makeFolder('data'), options)]
    expect(one.path).toMatch(/^\\\\\.\\pipe\\sluice-[0-9a-f]{32}$/)
    expect(one.token).toMatch(/^[0-9a-f]{64}$/)
    expect(one.path).not.toBe(two.path)
  })
})

describe('a client', needs(posix), () => {
  test('refuses a socket of a user who does not own the data folder', needs(root), async () => {
    const data = makeFolder('data')
    chownSync(data, STRANGER_UID, STRANGER_UID)
    const { path: socket } = usualPlace(data, 'linux')!
    await listen(socket)
    chownSync(socket, 65532, 65532)
    expect(() => findPlace(data, 'linux')).toThrow('does not belong to the account of the agent')
    chownSync(socket, STRANGER_UID, STRANGER_UID)
    expect(findPlace(data, 'linux')).not.toBeNull()
  })

  test('reports a folder in place of the socket', () => {
    const data = makeFolder('data')
    makeFolder('data', 'agent.sock')
    expect(() => findPlace(data, 'linux')).toThrow('is not a socket')
  })

  test('refuses a socket in a folder that others may write to', async () => {
    const data = makeFolder('data')
    await listen(usualPlace(data, 'linux')!.path)
    chmodSync(data, 0o777)
    expect(() => findPlace(data, 'linux')).toThrow('does not belong to the account of the agent')
  })

  test('in the group finds the socket without rights to the data folder', needs(root), async () => {
    const data = makeFolder('data')
    const place = otherPlace(data, { platform: 'linux', environment: {}, hasGroup: true })
    expect(groupPlaces(data)).toEqual([place])
    expect(findPlace(data, 'linux')).toBeNull()
    await listen(place.path)
    expect(findPlace(data, 'linux')).toEqual(place)
    await listen(usualPlace(data, 'linux')!.path)
    expect(findPlace(data, 'linux')).toEqual(usualPlace(data, 'linux'))
  })

  test('ignores a socket of another user in the place for a group', needs(root), async () => {
    const data = makeFolder('data')
    chownSync(data, OWNER_UID, OWNER_UID)
    const socket = groupPlaces(data)[0]!.path
    const plantedFolder = path.dirname(socket)
    mkdirSync(plantedFolder)
    try {
      await listen(socket)
      for (const file of [plantedFolder, socket]) chownSync(file, STRANGER_UID, STRANGER_UID)
      expect(findPlace(data, 'linux')).toBeNull()
      for (const file of [plantedFolder, socket]) chownSync(file, OWNER_UID, OWNER_UID)
      expect(findPlace(data, 'linux')).toEqual({ path: socket, token: null })
    } finally {
      rmSync(plantedFolder, { recursive: true })
    }
  })

  test('ignores a record that a different user wrote', needs(root), async () => {
    const data = makeFolder('data')
    const place = { path: path.join(makeFolder('run'), 'x.sock'), token: null }
    await listen(place.path)
    recordPlace(data, place)
    chownSync(path.join(data, 'agent-endpoint.json'), STRANGER_UID, STRANGER_UID)
    expect(findPlace(data, 'linux')).toBeNull()
  })
})

test('an agent does not remove a socket of a different user', needs(posix, root), async () => {
  const socket = path.join(makeFolder('data'), 'agent.sock')
  await listen(socket)
  chownSync(socket, STRANGER_UID, STRANGER_UID)
  expect(() => removeStale(socket)).toThrow('does not belong to this agent')
})

test('a group is found by name or number', () => {
  const file = path.join(base, 'group')
  writeFileSync(file, 'root:x:0:\nrecorders:x:1234:anna,ben\n')
  expect(posixGroupId('recorders', file)).toBe(1234)
  expect(posixGroupId('77', file)).toBe(77)
  expect(posixGroupId('record', file)).toBeNull()
  expect(posixGroupId('recorders', `${file}.missing`)).toBeNull()
})

test('a Windows group is found by name or SID', () => {
  const groupSid = (name: string) => (name === 'recorders' ? 'S-1-5-21-1-2-3-2001' : null)
  expect(windowsGroupId('recorders', groupSid)).toBe('S-1-5-21-1-2-3-2001')
  expect(windowsGroupId('S-1-5-32-545', groupSid)).toBe('S-1-5-32-545')
  expect(windowsGroupId('S-1-5-32-545)(A;;FA;;;WD', groupSid)).toBeNull()
})
