import { commands } from '../../main/cli/program/commands.ts'
import { runProgram } from '../../main/cli/program/run-program.ts'
import { agentProgram } from './programs.ts'

export type CommandOutput = { readonly code: number; readonly out: string; readonly err: string }

/** Runs `sluice` in this process, because starting a new process takes about a second. Run one command at a time. */
export const sluice = async (...args: readonly string[]): Promise<CommandOutput> => {
  const output = { out: '', err: '' }
  const { stdout, stderr } = process
  const original = { out: stdout.write, err: stderr.write }
  const capture =
    (stream: keyof typeof output): typeof stdout.write =>
    (text: unknown, ...rest: unknown[]) => {
      output[stream] += String(text)
      const callback = rest.find((arg) => typeof arg === 'function') as (() => void) | undefined
      callback?.()
      return true
    }
  stdout.write = capture('out')
  stderr.write = capture('err')
  try {
    const code = await runProgram(args, { commands, launchCommand: [process.execPath, agentProgram] })
    return { code, ...output }
  } finally {
    stdout.write = original.out
    stderr.write = original.err
  }
}
