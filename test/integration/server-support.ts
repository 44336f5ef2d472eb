import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { send } from '../contract/raw-http.ts'
import { launchServer, runServerCommand } from '../support/server-process.ts'

export const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-server-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

export const start = async (data: string, ...flags: string[]) => {
  const server = await launchServer(['--data', data, '--min-part-size', '1000', ...flags])
  onTestFinished(async () => void (await server.kill()))
  return server
}

/** Lets the system choose free ports, because `check` opens the ports of its settings. */
export const anyPorts = ['--port', '0', '--upload-port', '0'] as const

export const get = (url: string, key?: string) =>
  send({ method: 'GET', url, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })

const runJsonCommand = async (...args: string[]) => JSON.parse((await runServerCommand(args)).out)

export const createOrganisation = async (data: string, name: string): Promise<string> =>
  (await runJsonCommand('org', 'create', name, '--data', data)).id

export const createKey = (
  data: string,
  org: string,
  ...flags: string[]
): Promise<{ readonly id: string; readonly key: string }> =>
  runJsonCommand('key', 'create', '--org', org, '--write', ...flags, '--data', data)
