import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { collectOutput } from '../child-end.ts'

type Recording = { readonly seconds: number; readonly cameraSeconds?: number; readonly start?: number }

const startRecorder = (file: string, { seconds, cameraSeconds, start }: Recording, ...flags: string[]) => {
  const options = {
    file,
    seconds,
    ...(cameraSeconds === undefined ? {} : { 'camera-seconds': cameraSeconds }),
    ...(start === undefined ? {} : { start }),
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const program = path.join(import.meta.dirname, 'recorder-process.ts')
  return spawn(process.execPath, [program, ...args, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Records in a separate process. Returns the time at which the recorder closed the file (ms since 1970). */
export const recordMcap = async (file: string, recording: Recording): Promise<number> => {
  const { code, out, err } = await collectOutput(startRecorder(file, recording))
  if (code !== 0) throw new Error(`the recorder ended with code ${code}: ${err}`)
  return Number(out)
}

/** Starts a recorder and waits until it has written its messages. The recorder keeps the file open. */
export const openRecorder = async (file: string, recording: Recording): Promise<ChildProcess> => {
  const recorder = startRecorder(file, recording, '--stay')
  await once(recorder.stdout, 'data')
  return recorder
}
