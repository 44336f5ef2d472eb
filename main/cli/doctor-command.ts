import { spawn } from 'node:child_process'
import path from 'node:path'
import type { Finding } from '../../shared/ipc/station-check.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { redactJson } from '../../shared/redaction/redact.ts'
import { plural } from '../../shared/words/format.ts'
import { checkStation } from '../agent/calls/station-check.ts'
import { type Journal, openJournalBeside } from '../agent/journal/journal.ts'
import { systemClock } from '../agent/platform/system-clock.ts'
import { foreignOwnerOf } from '../local-files/data-folder-owner.ts'
import { isThere } from '../local-files/missing-rights.ts'
import { defineCommand, type Program, settingsOptions } from './program/command.ts'
import type { Typed } from './program/command-input.ts'
import { stationSettings } from './station-settings.ts'
import { actAs } from './switch-user.ts'
import { printJson, printLine, wrapText } from './terminal.ts'

type Asked = Typed<'settings' | 'managed'>

/**
 * A share that hangs holds a thread for good, and a process with such a thread cannot even exit. So one process looks,
 * and another one waits, prints, and ends on time.
 */
const LOOKER = 'SLUICE_DOCTOR_LOOKS'
const WHOLE_LIMIT_MS = 30_000
/** Each folder that hangs holds one; names are looked up on the same ones. */
const THREADS = '64'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** A journal that this user may not read is there: opening it says so. */
const mayHaveJournal = (dataFolder: string): boolean => {
  try {
    return isThere(path.join(dataFolder, 'journal.db'))
  } catch {
    return true
  }
}

const look = async (typed: Asked): Promise<readonly Finding[]> => {
  const { settings, apiKey, keyProblem } = stationSettings(typed)
  const paths = pathsOf(process.platform)
  let journal: Journal | null = null
  return checkStation({
    asked: new Map(),
    settings,
    apiKey,
    keyProblem,
    systemProxy: { kind: 'unknown' },
    dataFolder: typed.data,
    journal: mayHaveJournal(typed.data)
      ? () => {
          journal ??= openJournalBeside(typed.data, systemClock.wallMs, paths)
          return journal
        }
      : null,
    paths,
    clock: systemClock,
    random: Math.random,
    log: silent,
  })
}

type Told =
  | {
      readonly findings: readonly Finding[]
      /** The user whose rights were checked, if not those of whoever asked. */
      readonly checkedAs: string | null
    }
  | { readonly refused: string }

/** What it found is one line on its stdout. It is this same program: a package can start nothing else of itself. */
const askLooker = ([program = '', ...before]: readonly string[], args: readonly string[]): Promise<Told> =>
  new Promise((resolve) => {
    const looker = spawn(program, [...before, ...args], {
      env: { ...process.env, [LOOKER]: '1', UV_THREADPOOL_SIZE: THREADS },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let said = ''
    const end = (told: Told) => {
      clearTimeout(timer)
      looker.removeAllListeners()
      looker.stdout.destroy()
      looker.kill('SIGKILL')
      looker.unref()
      resolve(told)
    }
    const late = `The checks did not finish within ${WHOLE_LIMIT_MS / 1000} s. A drive or share may be hanging.`
    const timer = setTimeout(() => end({ refused: late }), WHOLE_LIMIT_MS)
    looker.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.endsWith('\n')) end(JSON.parse(said) as Told)
    })
    looker.once('error', ({ message }) => end({ refused: `The checks could not start: ${message}.` }))
    looker.once('exit', (code) => {
      if (said === '') end({ refused: `The checks stopped with code ${code}.` })
    })
  })

const word = { pass: 'pass', warn: 'WARN', fail: 'FAIL', skip: '  - ' } as const
const MARGIN = 6

/** What it comes to, before what it is made of. */
const headlineOf = (findings: readonly Finding[]): string => {
  const count = (verdict: Finding['verdict']) => findings.filter((each) => each.verdict === verdict).length
  const [fail, warn] = [count('fail'), count('warn')]
  const lead =
    fail > 0
      ? `${plural(fail, 'check fails', 'checks fail')}.`
      : warn > 0
        ? `No failures. ${plural(warn, 'warning')}.`
        : 'All checks passed.'
  return `${lead} ${count('pass')} pass, ${warn} warn, ${fail} fail, ${count('skip')} unknown.`
}

/** What has to be done first. */
const order = ['fail', 'warn', 'pass', 'skip'] as const satisfies readonly Finding['verdict'][]

const printText = (findings: readonly Finding[], checkedAs: string | null): void => {
  printLine(headlineOf(findings))
  if (checkedAs !== null) printLine(`Checked with the rights of ${checkedAs}, the owner of the data folder.`)
  printLine('')
  for (const { subject, verdict, sentence, next } of findings.toSorted(
    (a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict),
  )) {
    printLine(`${word[verdict]}  ${subject}`)
    for (const line of [...wrapText(sentence, MARGIN), ...(next === null ? [] : wrapText(next, MARGIN))])
      printLine(line)
  }
}

/** 0: nothing fails. */
const doctor = async (typed: Asked, { again }: Program): Promise<number> => {
  if (process.env[LOOKER] === '1') {
    // Before anything is read: settings, key, journal and folders are checked with the rights of the service.
    const owner = foreignOwnerOf(typed.data)
    const checkedAs = owner === null ? null : actAs(owner)
    const told = await look(typed).then(
      (findings): Told => ({ findings, checkedAs }),
      (error: unknown): Told => ({ refused: error instanceof Error ? error.message : String(error) }),
    )
    const line = `${redactJson(told)}\n`
    await new Promise((resolve) => process.stdout.write(line, resolve))
    return 0
  }
  const told = await askLooker(again, process.argv.slice(2))
  if ('refused' in told) throw new Error(told.refused)
  if (typed.json) printJson({ checked_as: told.checkedAs, findings: told.findings })
  else printText(told.findings, told.checkedAs)
  return told.findings.some(({ verdict }) => verdict === 'fail') ? 1 : 0
}

export const doctorCommand = defineCommand({
  name: 'doctor',
  group: 'prove',
  summary: 'check this station and show what to do',
  about: [
    'Checks the clock, DNS, proxy, certificates, key, folders and their events, free space, the journal, upload hosts and upload speed. Each check passes, warns or fails. An agent may be running.',
    'If root runs it and the data folder belongs to another user, it checks with that user’s rights, because the service runs with them.',
  ],
  data: 'own',
  options: settingsOptions,
  json: 'checked_as (null, or the user whose rights were checked) and findings: each with subject, verdict (pass, warn, fail, skip), sentence and next.',
  exits: { 0: 'no failures', 1: 'a check failed or could not run' },
  examples: ['sluice doctor', 'sluice doctor --settings settings.json --data /var/lib/sluice'],
  carryOut: doctor,
})
