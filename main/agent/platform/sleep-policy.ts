import { execFile } from 'node:child_process'
import type { SleepPolicy } from '../../../shared/ipc/station-check.ts'
import { windowsSystemFile } from '../../../shared/paths/system-files.ts'

const LIMIT_MS = 5_000

/** How each system is asked, and how its answer is read. On mains power: a station stands somewhere. */
type Question = {
  /** Its full path: a bare name may be found in the current folder, where others may have put a program. */
  readonly program: string
  readonly args: readonly string[]
  readonly read: (answer: string) => SleepPolicy
}

const after = (minutes: number): SleepPolicy => (minutes > 0 ? { kind: 'after', minutes } : { kind: 'never' })

/** The words differ with the language; the last two numbers are mains and battery, in seconds. */
export const readPowercfg = (answer: string): SleepPolicy => {
  const mains = [...answer.matchAll(/0x([0-9a-f]{8})\s*$/gim)].at(-2)?.[1]
  return mains === undefined ? { kind: 'unknown' } : after(Number.parseInt(mains, 16) / 60)
}

export const readPmset = (answer: string): SleepPolicy => {
  const mains = answer.split(/^(?=\w.*:\s*$)/m).find((block) => block.startsWith('AC')) ?? answer
  const minutes = /^\s*sleep\s+(\d+)/m.exec(mains)?.[1]
  return minutes === undefined ? { kind: 'unknown' } : after(Number(minutes))
}

/** A masked target is how a Linux station is kept awake for good; anything else depends on the desktop in use. */
export const readSystemctl = (answer: string): SleepPolicy =>
  answer.trim() === 'masked' ? { kind: 'never' } : { kind: 'unknown' }

const questions: Partial<Record<NodeJS.Platform, Question>> = {
  win32: {
    program: windowsSystemFile('powercfg.exe', process.env),
    args: ['/query', 'SCHEME_CURRENT', 'SUB_SLEEP', 'STANDBYIDLE'],
    read: readPowercfg,
  },
  darwin: { program: '/usr/bin/pmset', args: ['-g', 'custom'], read: readPmset },
  linux: { program: '/usr/bin/systemctl', args: ['is-enabled', 'sleep.target'], read: readSystemctl },
}

export const sleepPolicy = (platform: NodeJS.Platform = process.platform): Promise<SleepPolicy> => {
  const question = questions[platform]
  if (question === undefined) return Promise.resolve({ kind: 'unknown' })
  return new Promise((resolve) => {
    execFile(
      question.program,
      [...question.args],
      { timeout: LIMIT_MS, killSignal: 'SIGKILL', windowsHide: true },
      // "masked" comes with an exit code of its own; a program that is not there answers nothing.
      (_error, answer) => resolve(question.read(answer)),
    )
  })
}
