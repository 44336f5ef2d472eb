import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { otherPlace, recordPlace } from '../../main/endpoint/endpoint-place.ts'
import type { SettingsState } from '../../shared/ipc/ipc.ts'
import { answerOf, attach, connectAsClient, logOf } from '../integration/endpoint-support.ts'
import { collectOutput } from '../support/child-end.ts'
import { needs, posix, root } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { Station, until } from '../support/station.ts'

const GROUP = 64_321

let station: Station
afterEach(() => station.close())

/** Other users may enter the folder of the station, so that only the rights of the socket decide who can attach. */
const openStationForGroup = async () => {
  station = await Station.open()
  station.configure({ rest: { control: { group: String(GROUP) } } })
  chmodSync(station.root, 0o755)
}

/** A value of `NODE_OPTIONS` with which a process drops its rights when it starts. */
const runAs = (uid: number, gid: number) => {
  const dropRights = `process.setgroups([]); process.setgid(${gid}); process.setuid(${uid})`
  return `--import=data:text/javascript,${encodeURIComponent(dropRights)}`
}

describe('a headless agent', needs(posix), () => {
  test(
    'serves only its own account if this account is not in the configured group',
    needs(root),
    async () => {
      await openStationForGroup()
      for (const file of [station.settingsFile, station.recordings]) chownSync(file, 65_534, 65_534)
      mkdirSync(station.data)
      chownSync(station.data, 65_534, 65_534)
      // The runtime folder, as systemd would create it.
      const runtimeFolder = path.join(station.root, 'run')
      mkdirSync(runtimeFolder)
      chownSync(runtimeFolder, 65_534, 65_534)
      station.agentWith({ env: { NODE_OPTIONS: runAs(65_534, 65_534), RUNTIME_DIRECTORY: runtimeFolder } })
      await attach(station)
      expect(statSync(path.join(station.data, 'agent.sock')).mode & 0o777).toBe(0o600)
      expect(logOf(station)).toContain(`is not a member of ${GROUP}`)
    },
  )

  test('refuses other users of the PC, unless they are in the configured group', needs(root), async () => {
    await openStationForGroup()
    const runtimeFolder = path.join(station.root, 'run')
    mkdirSync(runtimeFolder)
    chmodSync(runtimeFolder, 0o755)
    station.agentWith({ env: { RUNTIME_DIRECTORY: runtimeFolder } })
    await attach(station)
    const socket = path.join(runtimeFolder, 'agent.sock')
    await until('the group can attach', () => existsSync(socket) && statSync(socket).gid === GROUP)
    expect(statSync(path.join(station.data, 'agent.sock')).mode & 0o777).toBe(0o600)
    expect(statSync(socket).mode & 0o777).toBe(0o660)
    const connectAs = (uid: number, gid: number) =>
      collectOutput(
        spawn(
          process.execPath,
          [
            '-e',
            `process.setgroups([]); process.setgid(${gid}); process.setuid(${uid});
           require('net').connect(${JSON.stringify(socket)})
             .on('connect', () => { console.log('connected'); process.exit() })
             .on('error', (error) => { console.log(error.code); process.exit() })`,
          ],
          { stdio: ['ignore', 'pipe', 'pipe'] },
        ),
      )
    expect((await connectAs(65_533, 65_533)).out.trim()).toBe('EACCES')
    expect((await connectAs(65_533, GROUP)).out.trim()).toBe('connected')
  })

  test(
    'lets a member of the group see and control the station, but not change its proxy or its key',
    needs(root),
    async () => {
      await openStationForGroup()
      writeFileSync(path.join(station.recordings, 'take.bin'), 'a recording')
      const agent = station.agent()
      await agent.waitForChange('the recording is processed', ({ state }) => state === 'processed')
      const { path: groupSocket } = otherPlace(station.data, {
        platform: process.platform,
        environment: {},
        hasGroup: true,
      })
      await until(
        'the group can attach',
        () => existsSync(groupSocket) && statSync(groupSocket).gid === GROUP,
      )
      const commandAs = (uid: number, gid: number, ...args: string[]) =>
        collectOutput(
          spawn(process.execPath, [agentProgram, ...args, '--data', station.data], {
            stdio: ['ignore', 'pipe', 'pipe'],
            env: {
              ...process.env,
              NODE_OPTIONS: runAs(uid, gid),
              HOME: station.root,
              // Without this variable, `doctor` starts a child process, which cannot drop its rights again and fails.
              SLUICE_DOCTOR_CHECKS: '1',
            },
          }),
        )
      const member = (...args: string[]) => commandAs(65_533, GROUP, ...args)
      const memberStatus = await member('status', '--json')
      expect(memberStatus).toMatchObject({ code: 0 })
      expect(JSON.parse(memberStatus.out)).toMatchObject({
        agent: { pid: agent.child.pid },
        recordings: [{ state: 'processed', bytes: 11 }],
      })
      expect(await member('pause')).toMatchObject({ code: 0 })
      expect((await member('status')).out).toContain('aused')
      const { entries } = JSON.parse((await member('activity', '--json')).out)
      expect(entries.at(-1)).toMatchObject({ kind: 'paused' })
      // The member has the right to ask. The agent refuses only because the upload hours are always open here.
      expect(await member('upload-now')).toMatchObject({
        code: 1,
        err: expect.stringContaining('not waiting for the upload hours'),
      })
      const recording = path.join(station.recordings, 'take.bin')
      expect(await member('upload-now', recording)).toMatchObject({
        code: 1,
        err: expect.stringContaining('not waiting for the upload hours'),
      })
      expect(await member('upload-now', '--undo', '--json')).toMatchObject({
        code: 0,
        out: expect.stringContaining('"was_lifted":false'),
      })
      const receipt = JSON.parse((await member('receipt', '--path', recording)).out)
      expect(receipt.recordings).toMatchObject([{ path: recording, bytes: 11 }])
      const exported = JSON.parse((await member('export', 'recordings', '--json')).out)
      expect(exported.recordings).toMatchObject([{ path: recording, standing: 'safe', bytes: 11 }])
      // A member may not read the folders of the agent, so the agent checks them.
      const checks = JSON.parse((await member('doctor')).out)
      expect(checks.checkedAs).toBe(userInfo().username)
      for (const subject of [station.recordings, 'Journal', 'Agent'])
        expect(checks.findings).toContainEqual(expect.objectContaining({ subject, verdict: 'pass' }))
      const settingsOfMember = await member('export', 'settings')
      expect(JSON.parse(settingsOfMember.out)).toMatchObject({ control: { group: String(GROUP) } })
      expect(settingsOfMember.out).not.toContain(station.sandbox.keys.write)
      // The command writes with the rights of the member, so the agent's folder stays closed.
      const intoAgent = path.join(station.data, 'receipt.json')
      expect(await member('receipt', '--since', '1d', '--out', intoAgent)).toMatchObject({ code: 1 })
      expect(existsSync(intoAgent)).toBe(false)
      const stranger = await commandAs(65_532, 65_532, 'status')
      expect(stranger).toMatchObject({
        code: 1,
        err: expect.stringContaining('Join the group in control.group'),
      })

      // Every client of the group's socket has only the rights of a member, even if root runs it.
      const asMember = path.join(station.root, 'as-member')
      mkdirSync(asMember)
      recordPlace(asMember, { path: groupSocket, token: null })
      const client = await connectAsClient(asMember)
      if (client === null) throw new Error('the agent does not listen for its group')
      onTestFinished(() => client.close())
      // With this flag, a window knows which settings to make read-only: those that a member may not change.
      expect(client.agent.isMember).toBe(true)
      const { settings } = await answerOf<SettingsState>(client.call('getSettings', undefined))
      const report = await client.call('makeSupportReport', { app: {}, agentHealth: {} })
      expect(report).toMatchObject({ ok: true, value: expect.stringContaining('"report"') })
      const service = { ...settings.service, proxy: 'http://127.0.0.1:9' }
      expect(await answerOf(client.call('saveSettings', { ...settings, service }))).toMatchObject({
        ok: false,
      })
      const limitedSettings = { ...settings, transfer: { ...settings.transfer, limit_mbit_per_s: 5 } }
      expect(await answerOf(client.call('saveSettings', limitedSettings))).toEqual({ ok: true })
      const keyEntry = { baseUrl: station.sandbox.baseUrl, apiKey: 'svc_test_other', acceptUnprotected: true }
      expect(await client.call('saveKey', keyEntry)).toMatchObject({ error: { kind: 'refused' } })
      const saved = JSON.parse(readFileSync(station.settingsFile, 'utf8'))
      expect(saved).toMatchObject({ transfer: { limit_mbit_per_s: 5 } })
      expect(saved.service.proxy).toBe('system')
      // The owner may change the proxy, through the socket in the data folder.
      const owner = await attach(station)
      expect(owner.agent.isMember).toBeUndefined()
      const current = await answerOf<SettingsState>(owner.call('getSettings', undefined))
      const directSettings = { ...current.settings, service: { ...current.settings.service, proxy: 'none' } }
      expect(await answerOf(owner.call('saveSettings', directSettings))).toEqual({ ok: true })

      await agent.kill('SIGKILL')
      expect(await member('status')).toMatchObject({ code: 1, err: expect.stringContaining('Use root') })
    },
  )
})
