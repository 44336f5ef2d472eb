import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { endChild } from '../support/child-end.ts'

/** Runs the reference server in its own process, so that its work does not count as the work of Sluice. */
export const startBareServer = async (): Promise<{ url: string; stop: () => Promise<void> }> => {
  const program = path.join(import.meta.dirname, 'bare-server.ts')
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { url, stop: async () => void (await endChild(child, 'SIGTERM')) }
}
