import './small-heap.ts'
import { onFirstEndingSignal } from '../server/ending-signals.ts'
import { StartError } from '../server/start-error.ts'
import { readCliOptions, usage } from './cli-options.ts'
import { type Sandbox, type SandboxOptions, startSandbox } from './server.ts'

/** Runs the sandbox until SIGTERM or Ctrl-C. A test can replace options, such as the back end. */
export async function runSandbox(
  args: readonly string[],
  overrides: Partial<SandboxOptions> = {},
): Promise<void> {
  try {
    const cli = readCliOptions(args)
    if (cli.kind === 'help') {
      process.stdout.write(usage)
      return
    }
    const log = cli.verbose ? (line: string) => void process.stderr.write(`${line}\n`) : () => {}
    serve(await startSandbox({ ...cli.options, log, ...overrides }))
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    process.exitCode = 1
  }
}

function fail(error: unknown): never {
  process.stderr.write(
    `The sandbox did not end cleanly: ${error instanceof Error ? error.message : error}.\n`,
  )
  process.exit(1)
}

function serve(sandbox: Sandbox): void {
  const line = {
    base_url: sandbox.baseUrl,
    upload_url: sandbox.uploadUrl,
    keys: sandbox.keys,
    ...(sandbox.controlUrl === null ? {} : { control_url: sandbox.controlUrl }),
  }
  onFirstEndingSignal(() => {
    // After `close`, all data is on disk. An ordinary exit would wait for a checksum in progress.
    sandbox.close().then(() => process.exit(0), fail)
  })
  // Print this line last: its reader may stop the sandbox at once.
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

function sentenceOf(error: unknown): string {
  if (error instanceof StartError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `The port is taken by another program: ${message}.`
  return `The sandbox cannot start: ${message}.`
}
