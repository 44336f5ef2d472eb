import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** Far longer than a clean exit takes on a busy computer, far shorter than a test's timeout. */
const CLEAN_EXIT_TIMEOUT_MS = 60_000

/** Sends the signal and waits for the exit. If the process does not exit in time, kills it and throws. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, 'exit')
  let isOverdue = false
  const timer = setTimeout(() => {
    isOverdue = true
    child.kill('SIGKILL')
  }, CLEAN_EXIT_TIMEOUT_MS)
  child.kill(signal)
  const [code] = (await exited) as [number | null]
  clearTimeout(timer)
  if (isOverdue)
    throw new Error(`the process did not end within ${CLEAN_EXIT_TIMEOUT_MS / 1000} s of ${signal}`)
  return code
}

/** Waits for the exit of the process, and returns all its output. */
export async function collectOutput(child: ChildProcessByStdio<null, Readable, Readable>) {
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    output.out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output.err += chunk.toString()
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals]
  return { code: code ?? signal, ...output }
}

const runningChildren = new Set<ChildProcess>()

/**
 * Kills the child when the test runner exits. Otherwise a child that a failed test leaves running would keep the
 * runner's output open.
 */
export function endWithRunner(child: ChildProcess): void {
  if (runningChildren.size === 0) process.once('exit', endAllChildren)
  runningChildren.add(child)
  child.once('exit', () => {
    runningChildren.delete(child)
    if (runningChildren.size === 0) process.off('exit', endAllChildren)
  })
}

function endAllChildren(): void {
  for (const child of runningChildren) child.kill('SIGKILL')
}
