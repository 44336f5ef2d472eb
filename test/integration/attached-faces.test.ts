import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { connectToAgent, type EndpointClient } from '../../main/endpoint/endpoint-client.ts'
import type { SettingsState } from '../../shared/ipc/ipc.ts'
import type { Status } from '../../shared/status/status.ts'
import { needs, posix } from '../support/needs.ts'
import { AgentProcess, Station, until } from '../support/station.ts'

/** An agent, two attached clients and a terminal with `status --watch`, as separate views of one station. */

let station: Station
afterEach(() => station.close())

/** The agent saves the outlook once a minute. A change must arrive much sooner than the next saved outlook. */
const SOON_MS = 30_000

type Watched = {
  readonly station: Pick<Status['station'], 'headline' | 'paused'> & {
    readonly standings: Status['standings']
  }
  readonly recordings: readonly { readonly path: string; readonly standing: string }[]
}

const attach = async (): Promise<{
  readonly client: EndpointClient
  readonly status: () => Status | null
}> => {
  const client = await until('the agent listens', () =>
    connectToAgent(station.data, { version: 'test', clientIs: 'this program' }),
  )
  onTestFinished(() => client.close())
  let newest: Status | null = null
  client.on('status', (status) => {
    newest = status
  })
  return { client, status: () => newest }
}

const watchInTerminal = (): (() => Watched | null) => {
  const watch = new AgentProcess(['status', '--watch', '--json', '--data', station.data])
  station.onClose(() => watch.kill('SIGKILL'))
  return () => (watch.lines.at(-1) ?? null) as Watched | null
}

/** A window of upload hours that opens in six hours and lasts one. */
const laterToday = () => {
  const clock = (hours: number) => `${String((new Date().getHours() + hours) % 24).padStart(2, '0')}:00`
  return { from: clock(6), to: clock(7) }
}

describe('two clients and a terminal on one agent', needs(posix), () => {
  test('every client sees a pause, a retry and a changed setting of any other client', async () => {
    station = await Station.open()
    // The service cannot read this file, and only a user retries it.
    const file = path.join(station.recordings, 'broken.mcap')
    writeFileSync(file, 'not a recording')
    const agent = station.agent()
    const [one, two] = [await attach(), await attach()]
    const watched = watchInTerminal()
    const everyone = (
      what: string,
      byStatus: (status: Status) => boolean,
      byWatch: (at: Watched) => boolean,
    ) =>
      until(
        what,
        () => {
          const [first, second, third] = [one.status(), two.status(), watched()]
          if (agent.child.exitCode !== null) throw new Error(agent.stderr)
          if (first === null || second === null || third === null) return false
          return byStatus(first) && byStatus(second) && byWatch(third)
        },
        SOON_MS,
      )

    await everyone(
      'the recording needs attention',
      ({ standings }) => standings['needs-attention'] === 1,
      ({ station: { standings } }) => standings['needs-attention'] === 1,
    )

    expect(await one.client.call('pause', { until: null })).toMatchObject({ ok: true })
    await everyone(
      'the pause',
      ({ station: { paused } }) => paused,
      ({ station: { paused } }) => paused,
    )

    const retry = { action: 'retry', paths: [file] }
    expect(await two.client.call('actOnPaths', retry)).toMatchObject({ ok: true })
    await everyone(
      'the retried recording waits',
      ({ standings }) => standings.waiting === 1 && standings['needs-attention'] === 0,
      ({ recordings }) => recordings.some((each) => each.path === file && each.standing === 'waiting'),
    )

    expect((await station.command('resume')).code).toBe(0)
    await everyone(
      'the end of the pause, and the next failure',
      ({ station: { paused }, standings }) => !paused && standings['needs-attention'] === 1,
      ({ station: { paused, standings } }) => !paused && standings['needs-attention'] === 1,
    )
    writeFileSync(path.join(station.recordings, 'take.bin'), 'a recording')
    await everyone(
      'the second recording is safe',
      ({ standings }) => standings.safe === 1,
      ({ station: { standings } }) => standings.safe === 1,
    )

    const dismiss = { action: 'dismiss', paths: [file] }
    expect(await two.client.call('actOnPaths', dismiss)).toMatchObject({ ok: true })
    const shown: SettingsState[] = []
    two.client.on('settings', (state) => shown.push(state))
    const { settings } = one.client.settings ?? { settings: null }
    if (settings === null) throw new Error('the agent keeps no settings')
    const changed = { ...settings, transfer: { ...settings.transfer, windows: [laterToday()] } }
    expect(await one.client.call('saveSettings', changed)).toEqual({ ok: true, value: { ok: true } })
    await until(
      'the other client gets the setting',
      () => shown.at(-1)?.settings.transfer.windows.length === 1,
    )
    writeFileSync(path.join(station.recordings, 'later.bin'), 'for the night')
    await everyone(
      'the recording waits for the upload hours',
      ({ station: { headline }, standings }) =>
        standings.waiting === 1 && headline === watched()?.station.headline,
      ({ station: { standings } }) => standings.waiting === 1,
    )
    expect(one.status()?.station.headline).toBe(two.status()?.station.headline)
    expect(one.status()?.station.outsideWindowUntil).not.toBeNull()
  })
})
