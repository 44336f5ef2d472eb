import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Endpoints, serveEndpoint } from '../../main/agent/serve-endpoint.ts'
import { connectToAgent } from '../../main/endpoint/endpoint-client.ts'
import { groupPipe, requireOwnPipe } from '../../main/endpoint/endpoint-place.ts'
import { windowsGroupId } from '../../main/endpoint/group-id.ts'
import { pipeMembers } from '../../main/endpoint/windows-pipe.ts'
import { loadWindowsSecurity } from '../../main/managed/windows-security.ts'
import { type Need, needs } from '../support/needs.ts'

const ADMINISTRATORS = 'S-1-5-32-544'
const SYSTEM = 'S-1-5-18'
const USERS = 'S-1-5-32-545'

const wine: Need = () =>
  process.env.SLUICE_WINE === undefined
    ? 'Wine, because Windows does not let a program change the owner of a pipe'
    : null

const security = loadWindowsSecurity()
const usersName = security.nameOf(USERS).split('\\').at(-1) ?? ''

const folderOfTest = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-pipe-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const serve = async (dataFolder: string, group: string | null): Promise<Endpoints> => {
  const problems: string[] = []
  const log = {
    debug: () => {},
    info: () => {},
    warn: (text: string) => problems.push(text),
    error: () => {},
  }
  const endpoints = await serveEndpoint({
    dataFolder,
    logFolder: dataFolder,
    settingsFile: path.join(dataFolder, 'settings.json'),
    host: 'service',
    version: '1.2.3',
    group,
    log: log as never,
    answer: async (name) => ({ ok: true, value: name }),
    answerStation: null,
    settings: () => null,
    status: () => null,
    reconnect: () => {},
  })
  onTestFinished(() => endpoints.close())
  expect(problems).toEqual([])
  return endpoints
}

const agentPipe = (dataFolder: string): string =>
  JSON.parse(readFileSync(path.join(dataFolder, 'agent-endpoint.json'), 'utf8')).path

test("only the agent's account, administrators and the system may open the agent's pipe", async () => {
  const dataFolder = folderOfTest()
  await serve(dataFolder, null)
  expect([...new Set(pipeMembers(agentPipe(dataFolder)))].toSorted()).toEqual(
    [...new Set([security.self(), ADMINISTRATORS, SYSTEM])].toSorted(),
  )
  const client = await connectToAgent(dataFolder, { version: '1.2.3', clientIs: 'this program' })
  expect(await client?.call('getStatus', undefined)).toEqual({ ok: true, value: 'getStatus' })
  client?.close()
  expect(groupPipe(dataFolder)).toBeNull()
})

test('the control group has a separate pipe, and a client on that pipe has only the rights of a member', async () => {
  const dataFolder = folderOfTest()
  await serve(dataFolder, usersName)
  const place = groupPipe(dataFolder)
  expect(pipeMembers(place?.path ?? '')).toContain(USERS)
  expect(pipeMembers(agentPipe(dataFolder))).not.toContain(USERS)
  // Without this file, which members cannot read, the client connects as a member.
  rmSync(path.join(dataFolder, 'agent-endpoint.json'))
  const client = await connectToAgent(dataFolder, { version: '1.2.3', clientIs: 'this program' })
  expect(client?.agent.isMember).toBe(true)
  expect(await client?.call('saveKey', { key: 'svc_live_abc' })).toMatchObject({ ok: false })
  client?.close()
})

test('a group is found by its name or SID; a user or an unknown name is not a group', () => {
  expect(windowsGroupId(usersName)).toBe(USERS)
  expect(windowsGroupId(USERS)).toBe(USERS)
  expect(windowsGroupId('no such group')).toBeNull()
  expect(windowsGroupId(security.nameOf(security.self()))).toBeNull()
})

test('a client refuses a pipe that belongs to a different account', needs(wine), async () => {
  const dataFolder = folderOfTest()
  await serve(dataFolder, null)
  const owner = 'S-1-5-21-9-9-9-9999'
  security.setSecurity(agentPipe(dataFolder), `O:${owner}D:P(A;;FA;;;${security.self()})`)
  await expect(connectToAgent(dataFolder, { version: '1.2.3', clientIs: 'this program' })).rejects.toThrow(
    'does not belong to the account of the agent',
  )
  expect(requireOwnPipe('\\\\.\\pipe\\sluice-missing', dataFolder)).toBe(false)
})
