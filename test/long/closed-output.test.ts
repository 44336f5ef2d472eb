import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { agentProgram } from '../support/programs.ts'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

/** Runs a command whose output is closed before it begins to write. */
const runWithClosedOutput = async (...args: readonly string[]) => {
  const child = spawn(process.execPath, [agentProgram, ...args, '--data', station.data], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const [code] = await once(child, 'close')
  return { code: code as number | null, err }
}

test('commands keep their exit codes if the reader closes the output, and `status --watch` ends', async () => {
  station = await Station.open()
  writeFileSync(path.join(station.recordings, 'empty.bin'), '')
  expect(await station.runToIdle()).toBe(2)
  expect(await runWithClosedOutput('status', '--check')).toEqual({ code: 2, err: '' })
  expect(await runWithClosedOutput('status')).toEqual({ code: 0, err: '' })
  expect(await runWithClosedOutput('status', '--watch')).toEqual({ code: 0, err: '' })
})
