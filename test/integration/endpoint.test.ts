import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { needs, posix } from '../support/needs.ts'
import { Station, until } from '../support/station.ts'
import { answerOf, attach, connectAsClient, latestStatusOf, logOf, startAgent } from './endpoint-support.ts'

let station: Station
afterEach(() => station.close())

describe('a headless agent', needs(posix), () => {
  test('serves several clients and commands, and each sees the actions of the others', async () => {
    station = await Station.open()
    await startAgent(station)
    const [first, second] = [await attach(station), await attach(station)]
    const [statusOfFirst, statusOfSecond] = [latestStatusOf(first), latestStatusOf(second)]
    await answerOf(first.call('pause', { until: null }))
    await until('the other client sees the pause', () => statusOfSecond()?.station.paused === true)
    const resumed = await station.sluice('resume', '--json')
    expect(JSON.parse(resumed.out)).toEqual({ paused: false, was_paused: true })
    for (const status of [statusOfFirst, statusOfSecond])
      await until('both clients see the end of the pause', () => status()?.station.paused === false)
    const { agent } = JSON.parse((await station.sluice('status', '--json')).out)
    expect(agent).toMatchObject({ pid: first.agent.pid, host: 'terminal', account: first.agent.account })
    expect((await station.sluice('status')).out).toContain(`(process ${first.agent.pid})`)
  })

  test('applies commands, which change the journal themselves if no agent runs', async () => {
    station = await Station.open()
    writeFileSync(path.join(station.recordings, 'empty.bin'), '')
    const agent = await startAgent(station)
    const file = path.join(station.recordings, 'empty.bin')
    const status = latestStatusOf(await attach(station))
    await until('the file needs attention', () => (status()?.needAttention ?? 0) > 0)
    expect((await station.sluice('dismiss', file)).code).toBe(0)
    await until('the file needs no attention', () => status()?.needAttention === 0)
    expect((await station.sluice('dismiss', file)).err).toContain('does not need attention')
    expect((await station.sluice('dismiss', '--undo', file)).code).toBe(0)
    await until('the file needs attention again', () => (status()?.needAttention ?? 0) > 0)
    expect((await station.sluice('retry', path.join(station.recordings, 'none.bin'))).err).toContain(
      'The journal has no recording',
    )
    expect((await station.sluice('accept-key')).err).toContain('nothing to accept')
    await agent.kill('SIGKILL')
    expect((await station.sluice('dismiss', '--all')).out).toBe('1 recording: dismissed.\n')
    expect((await station.sluice('pause')).code).toBe(0)
    expect(JSON.parse((await station.sluice('status', '--json')).out)).toMatchObject({
      agent: null,
      station: { paused: true },
    })
  })

  test('listens again after each kill -9, at a socket that only its own account can use', async () => {
    station = await Station.open()
    for (let turn = 0; turn < 3; turn += 1) {
      const agent = station.agent()
      const client = await until('this agent listens', async () => {
        const candidate = await connectAsClient(station.data)
        return candidate?.agent.pid === agent.child.pid ? candidate : null
      })
      expect(statSync(path.join(station.data, 'agent.sock')).mode & 0o777).toBe(0o600)
      const closing = new Promise<void>((resolve) => client.once('closed', resolve))
      await agent.kill('SIGKILL')
      await closing
      expect(existsSync(path.join(station.data, 'agent.sock'))).toBe(true)
    }
  })

  test('runs without an endpoint if a file is in place of its socket, and logs this', async () => {
    station = await Station.open()
    expect(await station.runToIdle()).toBe(0)
    const place = path.join(station.data, 'agent.sock')
    writeFileSync(place, 'a file of a different program')
    writeFileSync(path.join(station.recordings, 'take.bin'), 'a recording')
    expect(await station.runToIdle()).toBe(0)
    expect(readFileSync(place, 'utf8')).toBe('a file of a different program')
    expect(logOf(station)).toContain('is in the way and does not belong to this agent')
    await station.expectAllSafe()
  })
})
