import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { EndpointClient } from '../../main/endpoint/endpoint-client.ts'
import type { SettingsState } from '../../shared/ipc/ipc.ts'
import type { Status } from '../../shared/status/status.ts'
import { attach, latestStatusOf } from '../integration/endpoint-support.ts'
import { needs, posix } from '../support/needs.ts'
import { AgentProcess, Station, until } from '../support/station.ts'

/** An agent, two attached clients and a terminal with `status --watch`, as separate views of one station. */

let station: Station
afterEach(() => station.close())

/** Sooner than the agent saves its forecast data for terminal commands, which is once a minute. */
const SOON_MS = 30_000

type WatchOutput = {
  readonly station: Pick<Status['station'], 'headline' | 'paused'> & {
    readonly standings: Status['standings']
  }
  readonly recordings: readonly { readonly path: string; readonly standing: string }[]
}

const attachWithStatus = async (): Promise<{
  readonly client: EndpointClient
  readonly status: () => Status | undefined
}> => {
  const client = await attach(station)
  return { client, status: latestStatusOf(client) }
}

const watchInTerminal = (): (() => WatchOutput | null) => {
  const watch = new AgentProcess(['status', '--watch', '--json', '--data', station.data])
  station.onClose(() => watch.kill('SIGKILL'))
  return () => (watch.lines.at(-1) ?? null) as WatchOutput | null
}

/** Upload hours that begin in six hours and last one hour. */
const uploadHoursLater = () => {
  const timeIn = (hours: number) => `${String((new Date().getHours() + hours) % 24).padStart(2, '0')}:00`
  return { from: timeIn(6), to: timeIn(7) }
}

describe('two clients and a terminal on one agent', needs(posix), () => {
  test('all show a pause, a retry and a changed setting, whichever of them made the change', async () => {
    station = await Station.open()
    // The service cannot process this file. Sluice does not retry it by itself, but a user can.
    const file = path.join(station.recordings, 'broken.mcap')
    writeFileSync(file, 'not a recording')
    const agent = station.agent()
    const [first, second] = [await attachWithStatus(), await attachWithStatus()]
    const terminalOutput = watchInTerminal()
    const waitForAll = (
      what: string,
      isInStatus: (status: Status) => boolean,
      isInOutput: (at: WatchOutput) => boolean,
    ) =>
      until(
        what,
        () => {
          const [firstStatus, secondStatus, output] = [first.status(), second.status(), terminalOutput()]
          if (agent.child.exitCode !== null) throw new Error(agent.stderr)
          if (firstStatus === undefined || secondStatus === undefined || output === null) return false
          return isInStatus(firstStatus) && isInStatus(secondStatus) && isInOutput(output)
        },
        SOON_MS,
      )

    await waitForAll(
      'the recording needs attention',
      ({ standings }) => standings['needs-attention'] === 1,
      ({ station: { standings } }) => standings['needs-attention'] === 1,
    )

    expect(await first.client.call('pause', { until: null })).toMatchObject({ ok: true })
    await waitForAll(
      'the pause',
      ({ station: { paused } }) => paused,
      ({ station: { paused } }) => paused,
    )

    const retry = { action: 'retry', paths: [file] }
    expect(await second.client.call('actOnPaths', retry)).toMatchObject({ ok: true })
    await waitForAll(
      'the retried recording waits',
      ({ standings }) => standings.waiting === 1 && standings['needs-attention'] === 0,
      ({ recordings }) => recordings.some((row) => row.path === file && row.standing === 'waiting'),
    )

    expect((await station.command('resume')).code).toBe(0)
    await waitForAll(
      'the end of the pause, and the next failure',
      ({ station: { paused }, standings }) => !paused && standings['needs-attention'] === 1,
      ({ station: { paused, standings } }) => !paused && standings['needs-attention'] === 1,
    )
    writeFileSync(path.join(station.recordings, 'take.bin'), 'a recording')
    await waitForAll(
      'the second recording is safe',
      ({ standings }) => standings.safe === 1,
      ({ station: { standings } }) => standings.safe === 1,
    )

    const dismiss = { action: 'dismiss', paths: [file] }
    expect(await second.client.call('actOnPaths', dismiss)).toMatchObject({ ok: true })
    const receivedSettings: SettingsState[] = []
    second.client.on('settings', (state) => receivedSettings.push(state))
    const { settings } = first.client.settings ?? { settings: null }
    if (settings === null) throw new Error('the agent sent no settings')
    const changedSettings = { ...settings, transfer: { ...settings.transfer, windows: [uploadHoursLater()] } }
    expect(await first.client.call('saveSettings', changedSettings)).toEqual({
      ok: true,
      value: { ok: true },
    })
    await until(
      'the other client gets the setting',
      () => receivedSettings.at(-1)?.settings.transfer.windows.length === 1,
    )
    writeFileSync(path.join(station.recordings, 'later.bin'), 'for the night')
    await waitForAll(
      'the recording waits for the upload hours',
      ({ station: { headline }, standings }) =>
        standings.waiting === 1 && headline === terminalOutput()?.station.headline,
      ({ station: { standings } }) => standings.waiting === 1,
    )
    expect(first.status()?.station.headline).toBe(second.status()?.station.headline)
    expect(first.status()?.station.outsideWindowUntil).not.toBeNull()
  })
})
