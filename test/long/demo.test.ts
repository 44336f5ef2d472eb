import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import { linux, needs, program } from '../support/needs.ts'
import { until } from '../support/station.ts'

const demo = path.resolve(import.meta.dirname, '../../scripts/demo.mjs')

/** Starts the demo without a display, as over ssh. */
const start = ({ onTestFinished }: TestContext, command: string, args: readonly string[]) => {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env
  const child = spawn(command, args, { env: { ...env, NO_COLOR: '1', LANG: 'C.UTF-8' } })
  onTestFinished(() => void child.kill('SIGTERM'))
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text
  })
  return { child, output, ended: once(child, 'close') }
}

const untilPrinted = (child: ChildProcessWithoutNullStreams, what: string, condition: () => boolean) =>
  until(what, () => {
    if (child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode} before: ${what}`)
    return condition()
  })

describe.concurrent('npm run demo without a display', needs(linux), () => {
  test('prints a line for each new state to a pipe, and removes its files after a signal', async (context) => {
    const { child, output, ended } = start(context, process.execPath, [demo])
    await untilPrinted(child, 'the first recording is safe', () =>
      / {2}Safe +grip-001\.mcap/.test(output.out),
    )
    await untilPrinted(child, 'a recording needs attention', () =>
      /Needs attention +cut-off\.mcap/.test(output.out),
    )
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])

    const states = [...output.out.matchAll(/^\d\d:\d\d:\d\d {2}(\w+) +grip-001\.mcap/gm)].map(
      ([, word]) => word,
    )
    expect(states).toContain('Recording')
    // A short upload may begin and end between two reports of the agent, so the state Uploading may be missing.
    expect(states.indexOf('Safe')).toBeGreaterThan(states.indexOf('Recording'))
    expect(output.out).not.toContain('\x1b')
    expect(output.err.split('\n')[0]).toContain('simulated')
    const [, folder = ''] = /recorder writes to (\S+)/.exec(output.err) ?? []
    expect(folder).not.toBe('')
    expect(existsSync(path.dirname(folder))).toBe(false)
  })

  test(
    'redraws its lines in place in a terminal of 80 columns, until Ctrl-C',
    needs(program('script')),
    async (context) => {
      const line = `stty rows 24 cols 80; exec '${process.execPath}' '${demo}'`
      const { child, output, ended } = start(context, 'script', ['-q', '-e', '-c', line, '/dev/null'])
      const frame = () => lastFrame(output.out)
      await untilPrinted(child, 'a recording is safe', () => frame().some((row) => row.endsWith('█  Safe')))
      const [demoLine = '', headline = '', , ...rows] = frame()
      expect(demoLine).toContain('simulated')
      expect(headline).toMatch(/^\d+ of \d+ safe · /)
      expect(rows.filter((row) => /^ {2}(arm|grip|mic)-001/.test(row))).toHaveLength(3)
      for (const row of frame()) expect(row.length).toBeLessThan(80)
      child.stdin.write('\x03')
      expect(await ended).toEqual([0, null])
      // The demo has made the terminal's cursor visible again.
      expect(output.out.lastIndexOf('\x1b[?25h')).toBeGreaterThan(output.out.lastIndexOf('\x1b[?25l'))
    },
  )
})

/** The last complete block, which begins where the demo moved the cursor up. */
const lastFrame = (output: string): string[] => {
  const last = output.split('\x1b[J').at(-2) ?? ''
  const block = last.slice(last.lastIndexOf('A\r') + 2)
  return block.replaceAll('\x1b[K', '').split(/\r?\n/).slice(0, -1)
}
