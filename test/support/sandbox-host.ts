import '../../sandbox/small-heap.ts'
import { readCliOptions } from '../../sandbox/cli-options.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server.ts'

/**
 * Messages between this process and `test/support/sandbox-process.ts`, which starts it. `id` identifies a sandbox. If
 * `flags` is null, the request closes the sandbox. Otherwise it starts one.
 */
export type SandboxRequest = { readonly id: number; readonly flags: readonly string[] | null }
export type SandboxAnswer =
  | { readonly id: number; readonly addresses: unknown }
  | { readonly id: number; readonly failed: string }
  | { readonly id: number; readonly closed: true }

/** One process runs all sandboxes, so that a hundred tests start only one process. */
const runningSandboxes = new Map<number, Sandbox>()
const send = (message: SandboxAnswer) => process.send?.(message)

const start = async (id: number, flags: readonly string[]): Promise<void> => {
  const cli = readCliOptions(flags)
  if (cli.kind === 'help') throw new Error('--help starts no sandbox')
  const sandbox = await startSandbox(cli.options)
  runningSandboxes.set(id, sandbox)
  const { baseUrl, uploadUrl, controlUrl, keys } = sandbox
  send({ id, addresses: { base_url: baseUrl, upload_url: uploadUrl, control_url: controlUrl, keys } })
}

const close = async (id: number): Promise<void> => {
  const sandbox = runningSandboxes.get(id)
  runningSandboxes.delete(id)
  await sandbox?.close()
  send({ id, closed: true })
}

process.on('message', ({ id, flags }: SandboxRequest) => {
  const work = flags === null ? close(id) : start(id, flags)
  work.catch((error: Error) => send({ id, failed: error.message }))
})
process.on('disconnect', () => process.exit())
