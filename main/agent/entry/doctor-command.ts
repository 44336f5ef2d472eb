import { fork } from 'node:child_process'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { redactJson } from '../../../shared/redact.ts'
import type { Finding } from '../../../shared/station-check.ts'
import { checkStation } from '../calls/station-check.ts'
import { type Journal, openJournalBeside } from '../journal/journal.ts'
import { systemClock } from '../platform/system-clock.ts'
import { readSettings } from './settings-file.ts'
import { printJson, printLine, wrapText } from './terminal.ts'

export type DoctorOptions = { readonly data: string; readonly settings: string; readonly json: boolean }

/**
 * A share that hangs holds a thread for good, and a process with such a thread cannot even exit. So one process looks,
 * and another one waits, prints, and ends on time.
 */
const LOOKER = 'SLUICE_DOCTOR_LOOKS'
const WHOLE_LIMIT_MS = 30_000
/** Each folder that hangs holds one; names are looked up on the same ones. */
const THREADS = '64'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

const look = async (options: DoctorOptions): Promise<readonly Finding[]> => {
  const { settings, apiKey } = readSettings(options.settings, process.env)
  const paths = pathsOf(process.platform)
  let journal: Journal | null = null
  return checkStation({
    asked: new Map(),
    settings,
    apiKey,
    systemProxy: { kind: 'unknown' },
    dataFolder: options.data,
    journal: () => {
      journal ??= openJournalBeside(options.data, systemClock.wallMs, paths)
      return journal
    },
    paths,
    clock: systemClock,
    random: Math.random,
    log: silent,
  })
}

type Told = { readonly findings: readonly Finding[] } | { readonly refused: string }

const askLooker = (): Promise<Told> =>
  new Promise((resolve) => {
    const looker = fork(process.argv[1] ?? '', process.argv.slice(2), {
      env: { ...process.env, [LOOKER]: '1', UV_THREADPOOL_SIZE: THREADS },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const end = (told: Told) => {
      clearTimeout(timer)
      looker.removeAllListeners()
      looker.kill('SIGKILL')
      if (looker.connected) looker.disconnect()
      looker.unref()
      resolve(told)
    }
    const late = `The checks did not end within ${WHOLE_LIMIT_MS / 1000} s. A drive or a share may hang.`
    const timer = setTimeout(() => end({ refused: late }), WHOLE_LIMIT_MS)
    looker.once('message', (told) => end(told as Told))
    looker.once('exit', (code) => end({ refused: `The checks ended by themselves with code ${code}.` }))
  })

const word = { pass: 'pass', warn: 'WARN', fail: 'FAIL', skip: '  - ' } as const
const MARGIN = 6

const printText = (findings: readonly Finding[]): void => {
  for (const { subject, verdict, sentence, next } of findings) {
    printLine(`${word[verdict]}  ${subject}`)
    for (const line of [...wrapText(sentence, MARGIN), ...(next === null ? [] : wrapText(next, MARGIN))])
      printLine(line)
  }
  const count = (verdict: Finding['verdict']) => findings.filter((each) => each.verdict === verdict).length
  printLine(
    `${count('pass')} pass, ${count('warn')} warn, ${count('fail')} fail, ${count('skip')} not known.`,
  )
}

/** 0: nothing fails. */
export const doctor = async (options: DoctorOptions): Promise<number> => {
  if (process.env[LOOKER] === '1' && process.send !== undefined) {
    const told = await look(options).then(
      (findings): Told => ({ findings }),
      (error: unknown): Told => ({ refused: error instanceof Error ? error.message : String(error) }),
    )
    process.send(JSON.parse(redactJson(told)))
    return 0
  }
  const told = await askLooker()
  if ('refused' in told) throw new Error(told.refused)
  if (options.json) printJson({ findings: told.findings })
  else printText(told.findings)
  return told.findings.some(({ verdict }) => verdict === 'fail') ? 1 : 0
}
