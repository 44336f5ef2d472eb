import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

export type RecordingResult = {
  readonly megabytesPerSecond: number
  /** The longest time that the recorder needed to write one megabyte, including a sync. */
  readonly slowestMs: number
  readonly endedAtMs: number
}

/** Writes one recording in a separate process. */
export const record = async (
  file: string,
  {
    overwrite = false,
    ...options
  }: {
    readonly megabytes: number
    readonly rate?: number
    readonly sync?: number
    readonly overwrite?: boolean
  },
): Promise<RecordingResult> => {
  const valueArgs = Object.entries({ file, ...options }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ])
  const args = overwrite ? [...valueArgs, '--overwrite'] : valueArgs
  const program = path.join(import.meta.dirname, 'recorder-process.ts')
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the recorder ended with code ${code}`)
  const { tookMs, slowestMs, endedAtMs } = JSON.parse(output) as Record<
    'tookMs' | 'slowestMs' | 'endedAtMs',
    number
  >
  return { megabytesPerSecond: (options.megabytes * 1000) / tookMs, slowestMs, endedAtMs }
}
