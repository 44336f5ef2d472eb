import path from 'node:path'
import { readPlainFile } from './plain-file.ts'

/** The files of a try-out: a station whose service is the built-in sandbox. App and commands share these paths. */

const MAX_BYTES = 4_096

/** The data folder of the agent during a try-out. */
export const tryOutFolder = (dataFolder: string): string => path.join(dataFolder, 'try-out')

export const sandboxFile = (dataFolder: string): string => path.join(dataFolder, 'sandbox.json')

/** The port that the built-in sandbox uses at every start. Null if this station has never used the sandbox. */
export const sandboxPort = (dataFolder: string): number | null => {
  try {
    const { port } = JSON.parse(readPlainFile(sandboxFile(dataFolder), MAX_BYTES).bytes.toString('utf8'))
    return Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : null
  } catch {
    return null
  }
}

/** Whether this is the address of a built-in sandbox with this port. */
export const isSandboxAddress = (baseUrl: string, port: number): boolean => {
  const { protocol, hostname, port: portText } = new URL(baseUrl)
  return protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname) && Number(portText) === port
}
