import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { endChild } from '../support/child-end.ts'
import { measureMs } from './figure.ts'

const FOLDER = process.env.SLUICE_BENCH_TUS

export const WITHOUT_TUS =
  'tus: npm install --prefix DIR tus-js-client @tus/server @tus/file-store, and SLUICE_BENCH_TUS=DIR'

/** tus needs three dozen packages and is not a dependency. The bench measures it only if it is installed. */
export const hasTus = (): boolean =>
  FOLDER !== undefined && existsSync(path.join(FOLDER, 'node_modules/@tus/server'))

const peers = readFileSync(path.join(import.meta.dirname, 'tus-peers.mjs'), 'utf8')

/** Starts the client and the Node server of tus, each in its own process. */
export const startTus = async (storeFolder: string) => {
  const run = (...args: readonly string[]) =>
    spawn(process.execPath, ['--input-type=module', '-e', peers, '--', ...args], {
      cwd: FOLDER,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
  mkdirSync(storeFolder, { recursive: true })
  const [server, client] = [run(storeFolder), run()]
  const lines = createInterface(client.stdout)
  const [endpoint] = (await once(createInterface(server.stdout), 'line')) as [string]
  return {
    /** Sends a file, removes its copy at the server, and returns the milliseconds of the upload. */
    send: async (file: string): Promise<number> => {
      const ms = await measureMs(async () => {
        client.stdin.write(`${JSON.stringify({ endpoint, file })}\n`)
        const [line] = (await once(lines, 'line')) as [string]
        if (line !== 'done') throw new Error(`tus: ${line}`)
      })
      rmSync(storeFolder, { recursive: true })
      mkdirSync(storeFolder)
      return ms
    },
    stop: async () => {
      await Promise.all([endChild(server, 'SIGTERM'), endChild(client, 'SIGTERM')])
    },
  }
}
