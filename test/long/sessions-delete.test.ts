import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { collectOutput } from '../support/child-end.ts'
import { holdJournal } from '../support/hold-journal.ts'
import { readJournal } from '../support/journal-file.ts'
import { needs, posix } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { recordNight } from '../support/removal-kills.ts'
import { Station, until } from '../support/station.ts'

/**
 * A recording must not stay "safe" after its session was deleted, even if the command ends before it journals the
 * deletion.
 */

const openWithSafeRecording = async () => {
  const station = await Station.open()
  onTestFinished(() => station.close())
  await recordNight(station, 1)
  const row = () =>
    readJournal<{ state: string; session_id: string }>(
      station.data,
      'SELECT state, session_id FROM recordings',
    )[0]
  const id = row()?.session_id ?? ''
  const args = ['sessions', 'delete', id, '--yes', '--even-in-use', '--settings', station.settingsFile]
  const isAtService = async () => (await station.sessions()).some((session) => session.id === id)
  return { station, id, args, isAtService, stateOf: () => row()?.state }
}

/** Puts a proxy before the service that calls `act` after each deletion, before the command gets the answer. */
const actAfterDeletion = async (station: Station, act: () => Promise<void>): Promise<void> => {
  const server = createServer(async (request, response) => {
    const answer = await station.sandbox.api(request.url ?? '', { method: request.method ?? 'GET' })
    const body = await answer.text()
    if (request.method === 'DELETE') await act()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  station.configure({ service: { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } })
}

test('deletes no session while another program locks the journal; the next attempt deletes it and journals the deletion', async () => {
  const { station, args, isAtService, stateOf } = await openWithSafeRecording()
  const lock = await holdJournal(station.data)
  const result = await station.command(...args)
  await lock.release()
  expect(result).toMatchObject({
    code: 1,
    err: expect.stringContaining('Another program has locked the journal'),
  })
  expect(await isAtService()).toBe(true)
  expect((await station.command(...args)).code).toBe(0)
  expect(await isAtService()).toBe(false)
  expect(stateOf()).toBe('failed')
})

test('waits for a journal that another program locks right after the deletion', async () => {
  const { station, id, args, stateOf } = await openWithSafeRecording()
  let lock: Awaited<ReturnType<typeof holdJournal>> | null = null
  await actAfterDeletion(station, async () => {
    lock = await holdJournal(station.data)
  })
  const child = spawn(process.execPath, [agentProgram, ...args, '--data', station.data], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const outputPromise = collectOutput(child)
  await until(
    'the command waits for the journal',
    () => child.exitCode !== null || output.includes(`${id} is deleted at the service. Waiting`),
  )
  await (lock as Awaited<ReturnType<typeof holdJournal>> | null)?.release()
  expect((await outputPromise).code).toBe(0)
  expect(stateOf()).toBe('failed')
})

test('the next start of the agent records a deletion whose command was killed', needs(posix), async () => {
  const { station, args, isAtService, stateOf } = await openWithSafeRecording()
  let child: ChildProcess | null = null
  await actAfterDeletion(station, async () => void child?.kill('SIGKILL'))
  const command = spawn(process.execPath, [agentProgram, ...args, '--data', station.data], {
    stdio: 'ignore',
  })
  child = command
  await once(command, 'exit')
  expect([await isAtService(), stateOf()]).toEqual([false, 'processed'])
  station.configure()
  await station.runToIdle()
  expect(stateOf()).toBe('failed')
})

test('records the deletion even if Ctrl+C comes before the answer', needs(posix), async () => {
  const { station, args, stateOf } = await openWithSafeRecording()
  let child: ChildProcess | null = null
  await actAfterDeletion(station, async () => void child?.kill('SIGINT'))
  const command = spawn(process.execPath, [agentProgram, ...args, '--data', station.data], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = command
  expect((await collectOutput(command)).code).toBe(0)
  expect(stateOf()).toBe('failed')
})

test('journals that the service no longer has a session, and reports an unknown ID', async () => {
  const { station, id, args, stateOf } = await openWithSafeRecording()
  await station.sandbox.api(`/v1/sessions/${id}`, { method: 'DELETE' })
  expect((await station.command(...args)).code).toBe(0)
  expect(stateOf()).toBe('failed')
  const unknownId = await station.command(...args.map((arg) => (arg === id ? 'ses_none' : arg)))
  expect(unknownId).toMatchObject({ code: 1, err: expect.stringContaining('does not have this session') })
})
