import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Finding } from '../../shared/ipc/station-check.ts'
import { collectOutput } from '../support/child-end.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { needs, posix } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { seeded } from '../support/seeded.ts'
import { AgentProcess, Station, until } from '../support/station.ts'

/** `doctor` as a user runs it, with the sandbox as the service. */

let station: Station
afterEach(() => station.close())

const doctor = async () => {
  const { code, out, err } = await station.command('doctor', '--settings', station.settingsFile, '--json')
  if (out === '') throw new Error(`doctor printed nothing: ${err}`)
  const { findings } = JSON.parse(out) as { readonly findings: readonly Finding[] }
  return {
    code,
    out,
    findingOf: (subject: string) => findings.find((finding) => finding.subject === subject),
  }
}

test('doctor proposes `folders[].take` for a folder of rosbag2 recordings, until the settings contain it', async () => {
  station = await Station.open()
  mkdirSync(path.join(station.recordings, 'bag'))
  await writeRandomFile(path.join(station.recordings, 'bag', 'bag_0.db3'), 1000, seeded(6))
  expect(await station.runToIdle()).toBe(0)
  expect((await doctor()).findingOf(station.recordings)).toMatchObject({
    verdict: 'warn',
    sentence: expect.stringContaining('Folders in it look like one rosbag2 recording each'),
    next: expect.stringContaining('folders[].take'),
  })
  station.configure({ folder: { take: 'folder' } })
  expect((await doctor()).findingOf(station.recordings)?.verdict).toBe('pass')
})

describe('doctor beside a running agent', needs(posix), () => {
  const doctorWith = async (env: Readonly<Record<string, string>> = {}) => {
    const args = ['doctor', '--settings', station.settingsFile, '--data', station.data, '--json']
    const child = spawn(process.execPath, [agentProgram, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    const { findings } = JSON.parse((await collectOutput(child)).out) as {
      readonly findings: readonly Finding[]
    }
    return (subject: string) => findings.find((finding) => finding.subject === subject)
  }
  const isListening = (data: string) => () => existsSync(path.join(data, 'agent.sock'))

  test('names the accounts that may attach, and the reason why a group may not', async () => {
    station = await Station.open()
    station.configure({ rest: { control: { group: 'no-such-group' } } })
    const agent = station.agent()
    await until('the agent listens', isListening(station.data))
    expect((await doctorWith())('Who may attach')).toMatchObject({
      verdict: 'warn',
      sentence: expect.stringContaining('no group no-such-group'),
    })
    await agent.kill('SIGTERM')
    const group = String(process.getgid?.() ?? 0)
    station.configure({ rest: { control: { group } } })
    station.agent()
    await until('the agent listens', isListening(station.data))
    await until('the agent listens for the group', async () => {
      const finding = (await doctorWith())('Who may attach')
      return finding?.verdict === 'pass' && finding.sentence.includes(`members of ${group}`)
    })
  })

  test('warns about a second agent that watches the same folder', async () => {
    station = await Station.open()
    station.agent()
    const config = path.join(station.root, 'config')
    const otherData = path.join(config, 'sluice')
    await until('the agent listens', isListening(station.data))
    expect((await doctorWith({ XDG_CONFIG_HOME: config }))('Second agent')).toBeUndefined()
    const second = new AgentProcess(['run', '--settings', station.settingsFile, '--data', otherData])
    station.onClose(() => second.kill('SIGKILL'))
    await until('the second agent listens', isListening(otherData))
    await until('doctor reports the second agent', async () => {
      const finding = (await doctorWith({ XDG_CONFIG_HOME: config }))('Second agent')
      return finding?.verdict === 'warn' && finding.sentence.includes(otherData)
    })
  })
})
