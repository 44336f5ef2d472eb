import { spawn } from 'node:child_process'
import path from 'node:path'
import { systemClock } from '../../shared/clock/clock.ts'
import type { AgentIdentity } from '../../shared/ipc/agent-health.ts'
import { type Finding, pass, warn } from '../../shared/ipc/station-check.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { redactJson } from '../../shared/redaction/redact.ts'
import { plural } from '../../shared/words/format.ts'
import { checkStation } from '../agent/calls/station-check.ts'
import { type Journal, openJournalForCommand } from '../agent/journal/journal.ts'
import { isAgentLockHeld } from '../agent/journal/lock.ts'
import { areRecordersInContainer } from '../agent/platform/process/recorders-in-container.ts'
import { foreignOwnerOf } from '../local-files/data-folder-owner.ts'
import { isThere } from '../local-files/missing-rights.ts'
import { attachFindings, findSecondAgents, unusedFileFindings } from './doctor-agents.ts'
import { journalFolder } from './journal-folder.ts'
import { defineCommand, type Program, settingsOptions } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { checkByForeignAgent, findAgent } from './running-agent.ts'
import { serviceFindings } from './service/service-findings.ts'
import { dataFolderFor } from './service/service-manager.ts'
import { silentLog, stationSettings } from './station-settings.ts'
import { switchToUser } from './switch-user.ts'
import { printJson, printLine, wrapText } from './terminal.ts'

type Input = CommandInput<'settings' | 'managed'>

/**
 * Marks the child process that runs the checks. A hung share blocks a thread for good, and a process with a blocked
 * thread cannot exit. So only the child may hang: the parent waits for the result or the timeout, prints and exits.
 */
const CHECKER_VARIABLE = 'SLUICE_DOCTOR_CHECKS'
const TOTAL_TIMEOUT_MS = 30_000
/** A large pool, because each hung folder blocks one thread, and DNS lookups need a free thread. */
const THREAD_POOL_SIZE = '64'

/** Also true if this user may not read the folder, so that the attempt to open the journal reports the reason. */
const mayHaveJournal = (dataFolder: string): boolean => {
  try {
    return isThere(path.join(dataFolder, 'journal.db'))
  } catch {
    return true
  }
}

/** Reports the running agent and who may attach to it, or why this program cannot attach. Empty if no agent runs. */
const agentFindings = async (dataFolder: string, group: string | null): Promise<readonly Finding[]> => {
  const { agent, trouble } = await findAgent(dataFolder)
  if (agent !== null) return findingsAbout(agent, group)
  // The endpoint may be blocked, or its socket removed, while the agent still uploads.
  const isHeld = isAgentLockHeld(dataFolder)
  const heldSentence = 'An agent uses this data folder, but this command cannot attach to it.'
  const sentence = [...(isHeld ? [heldSentence] : []), ...(trouble === null ? [] : [trouble])].join(' ')
  return sentence === '' ? [] : [{ subject: 'Agent', ...warn(sentence, 'Restart the agent.') }]
}

const findingsAbout = (agent: AgentIdentity, group: string | null): readonly Finding[] => {
  const hostText = { window: 'in a window', terminal: 'without a window', service: 'as a service' }[
    agent.host
  ]
  return [
    {
      subject: 'Agent',
      ...pass(`Version ${agent.version} runs ${hostText}, under the account ${agent.account}.`),
    },
    ...attachFindings(agent, group),
  ]
}

const check = async (input: Input): Promise<readonly Finding[]> => {
  const { settings, apiKey, keyProblem } = stationSettings(input)
  const paths = pathsOf(process.platform)
  let journal: Journal | null = null
  const findings = await checkStation({
    pendingDriveCalls: new Map(),
    settings,
    apiKey,
    keyProblem,
    systemProxy: { kind: 'unknown' },
    dataFolder: input.data,
    journal: mayHaveJournal(journalFolder(input))
      ? () => {
          journal ??= openJournalForCommand(journalFolder(input), systemClock.wallMs, paths)
          return journal
        }
      : null,
    paths,
    recordersInContainer: areRecordersInContainer(process.env),
    clock: systemClock,
    random: Math.random,
    log: silentLog,
  })
  return [...findings, ...(await agentFindings(input.data, settings.control?.group ?? null))]
}

const isServiceFolder = (dataFolder: string): boolean =>
  pathsOf(process.platform).same(path.resolve(dataFolder), dataFolderFor(false))

type CheckResult =
  | {
      readonly findings: readonly Finding[]
      /** The user whose rights the checks used; null for the user who runs the command. */
      readonly checkedAs: string | null
    }
  | { readonly refused: string }

/**
 * Runs the checks in a child process. The child runs this same program, because a package has no other executable. The
 * child prints the result as one JSON line.
 */
const runChecker = (
  [program = '', ...firstArgs]: readonly string[],
  args: readonly string[],
): Promise<CheckResult> =>
  new Promise((resolve) => {
    const checker = spawn(program, [...firstArgs, ...args], {
      env: { ...process.env, [CHECKER_VARIABLE]: '1', UV_THREADPOOL_SIZE: THREAD_POOL_SIZE },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    const end = (result: CheckResult) => {
      clearTimeout(timer)
      checker.removeAllListeners()
      checker.stdout.destroy()
      checker.kill('SIGKILL')
      checker.unref()
      resolve(result)
    }
    const timeoutSentence = `The checks did not finish within ${TOTAL_TIMEOUT_MS / 1000} s. A drive or share may be hanging.`
    const timer = setTimeout(() => end({ refused: timeoutSentence }), TOTAL_TIMEOUT_MS)
    checker.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.endsWith('\n')) end(JSON.parse(output) as CheckResult)
    })
    checker.once('error', ({ message }) => end({ refused: `The checks could not start: ${message}.` }))
    // Wait for `close`, because `exit` may come before the last output.
    checker.once('close', (code) => end({ refused: `The checks stopped with code ${code}.` }))
  })

const verdictWords = { pass: 'pass', warn: 'WARN', fail: 'FAIL', skip: '  - ' } as const
const MARGIN = 6

const headlineOf = (findings: readonly Finding[]): string => {
  const count = (verdict: Finding['verdict']) => findings.filter((each) => each.verdict === verdict).length
  const [fail, warn] = [count('fail'), count('warn')]
  const summary =
    fail > 0
      ? `${plural(fail, 'check fails', 'checks fail')}.`
      : warn > 0
        ? `No failures. ${plural(warn, 'warning')}.`
        : 'All checks passed.'
  return `${summary} ${count('pass')} pass, ${warn} warn, ${fail} fail, ${count('skip')} unknown.`
}

/** Most urgent first. */
const verdictOrder = ['fail', 'warn', 'pass', 'skip'] as const satisfies readonly Finding['verdict'][]

const printText = (findings: readonly Finding[], checkedAs: string | null): void => {
  printLine(headlineOf(findings))
  if (checkedAs !== null) printLine(`Checked with the rights of ${checkedAs}, the account of the agent.`)
  printLine('')
  for (const { subject, verdict, sentence, next } of findings.toSorted(
    (a, b) => verdictOrder.indexOf(a.verdict) - verdictOrder.indexOf(b.verdict),
  )) {
    printLine(`${verdictWords[verdict]}  ${subject}`)
    for (const line of [...wrapText(sentence, MARGIN), ...(next === null ? [] : wrapText(next, MARGIN))])
      printLine(line)
  }
}

const doctor = async (input: Input, { launchCommand }: Program): Promise<number> => {
  if (process.env[CHECKER_VARIABLE] === '1') {
    const secondAgents = await findSecondAgents(input.data)
    // Check with the rights of the owner of the data folder, because the agent has these rights.
    const owner = foreignOwnerOf(input.data)
    // Only root can switch to another account. Without root, a running agent of another account does the checks itself.
    const byAgent = owner === null ? await checkByForeignAgent(input.data) : null
    const checkedAs = byAgent?.agent.account ?? (owner === null ? null : switchToUser(owner))
    const checked =
      byAgent === null
        ? check(input)
        : Promise.resolve([
            ...byAgent.findings,
            ...findingsAbout(byAgent.agent, byAgent.group),
            ...unusedFileFindings(byAgent.agent, [input.text('settings'), input.text('managed')]),
          ])
    const ofService = isServiceFolder(input.data) ? serviceFindings(byAgent !== null) : []
    const result = await checked.then(
      (findings): CheckResult => ({ findings: [...findings, ...ofService, ...secondAgents], checkedAs }),
      (error: unknown): CheckResult => ({ refused: error instanceof Error ? error.message : String(error) }),
    )
    const line = `${redactJson(result)}\n`
    await new Promise((resolve) => process.stdout.write(line, resolve))
    return 0
  }
  const result = await runChecker(launchCommand, process.argv.slice(2))
  if ('refused' in result) throw new Error(result.refused)
  if (input.json) printJson({ checked_as: result.checkedAs, findings: result.findings })
  else printText(result.findings, result.checkedAs)
  return result.findings.some(({ verdict }) => verdict === 'fail') ? 1 : 0
}

export const doctorCommand = defineCommand({
  name: 'doctor',
  group: 'verify',
  summary: 'check this station and show the next steps',
  about: [
    'Checks the clock, DNS, proxy, certificates, key, folders and their events, free space, the journal, upload hosts, upload speed, the running agent, who may attach to it, and whether a second agent watches the same folders. Each check passes, warns or fails. Works with and without a running agent.',
    'If root runs the command and a different user owns the data folder, the checks use that user’s rights, because an agent that runs as a background service has the same rights. On Windows, and for a member of control.group, an agent of a different account does the checks itself, with its own settings. It ignores --settings and --managed, and a warning reports that.',
    'For the data folder of the service on Windows or macOS, the command also checks the scheduled task or the LaunchDaemon: whether it is registered, its account and its last result.',
  ],
  data: 'own',
  options: settingsOptions,
  json: 'checked_as (null, or the user whose rights the checks used) and findings: each with subject, verdict (pass, warn, fail, skip), sentence and next.',
  exits: { 0: 'no failures', 1: 'a check failed or could not run' },
  examples: ['sluice doctor', 'sluice doctor --settings settings.json --data /var/lib/sluice'],
  run: doctor,
})
