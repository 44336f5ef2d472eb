import { existsSync, readFileSync } from 'node:fs'
import { type Finding, pass, skip, warn } from '../../../shared/ipc/station-check.ts'
import { accountName } from '../../local-files/account-name.ts'
import { LAUNCHD_FILE, LAUNCHD_LABEL } from './service-files.ts'
import { type RunCommand, runCheck } from './service-manager.ts'
import { type TaskDetails, type TaskFailure, taskDetails, windowsOptions } from './windows-task.ts'

/**
 * What `doctor` checks about the background service on Windows and macOS. On Linux, `systemctl status` shows the same.
 */

const subject = 'Service'

/** Result codes of runs that did not fail: finished, running, not run yet, ended by a user, ended at shutdown. */
const USUAL_RESULTS: ReadonlySet<string> = new Set(['0', '267009', '267011', '267014', '1073807364'])

const judgeFailure = ({ failure, detail }: TaskFailure): Omit<Finding, 'subject'> => {
  switch (failure) {
    case 'not-registered':
      return warn(
        'The task Sluice is not registered, so no agent starts at boot.',
        'Run as an administrator: sluice service install',
      )
    case 'denied':
      return skip(
        `The account ${accountName()} may not read the task Sluice. Run doctor as an administrator to check it.`,
      )
    case 'unknown':
      return warn(
        `Windows did not report the task Sluice.${detail === '' ? '' : ` (${detail})`}`,
        'Check that the service “Task Scheduler” runs, then run doctor again.',
      )
  }
}

export const judgeTask = (task: TaskDetails | TaskFailure): Omit<Finding, 'subject'> => {
  if ('failure' in task) return judgeFailure(task)
  const { account, isEnabled, startsAtBoot, lastRun, lastResult } = task
  if (!isEnabled)
    return warn(
      'The task Sluice is disabled, so no agent starts at boot.',
      'Run as an administrator: schtasks /Change /TN Sluice /ENABLE',
    )
  if (!startsAtBoot)
    return warn(
      'The task Sluice no longer starts at boot.',
      'Run as an administrator: sluice service install',
    )
  if (lastResult !== null && !USUAL_RESULTS.has(lastResult))
    return warn(
      `The task Sluice runs under ${account}. Its last run, ${lastRun}, ended with result ${lastResult}. Windows starts it again after a minute.`,
      'Read the log in the data folder.',
    )
  return pass(
    `The task Sluice starts at boot under ${account}.${lastRun === null ? '' : ` Last start: ${lastRun}.`}`,
  )
}

const PLIST_ACCOUNT = /<key>UserName<\/key>\s*<string>([^<]*)<\/string>/
const LAUNCHCTL = '/bin/launchctl'

export const judgeDaemon = (plist: string | null, run: RunCommand): Omit<Finding, 'subject'> => {
  if (plist === null)
    return warn(
      `There is no ${LAUNCHD_FILE}, so no agent starts at boot.`,
      'Print the file with: sluice service install --print',
    )
  const { code, out } = run(LAUNCHCTL, ['print', `system/${LAUNCHD_LABEL}`])
  if (code !== 0)
    return warn(
      'The LaunchDaemon exists, but macOS has not loaded it.',
      `Run: sudo launchctl bootstrap system ${LAUNCHD_FILE}`,
    )
  const account = PLIST_ACCOUNT.exec(plist)?.[1] ?? 'root'
  const exit = /last exit code = (-?\d+)/.exec(out)?.[1]
  if (exit !== undefined && exit !== '0')
    return warn(
      `The LaunchDaemon runs under ${account}. Its last run ended with code ${exit}. macOS starts it again.`,
      'Read the log in the data folder.',
    )
  return pass(`The LaunchDaemon starts at boot under ${account}.`)
}

const readPlist = (): string | null => (existsSync(LAUNCHD_FILE) ? readFileSync(LAUNCHD_FILE, 'utf8') : null)

/** `isCheckedByAgent`: the running agent did the other checks of `doctor`, with the rights of its own account. */
export const serviceFindings = (isCheckedByAgent: boolean): readonly Finding[] => {
  switch (process.platform) {
    case 'win32': {
      const task = taskDetails({ ...windowsOptions(), run: runCheck })
      return [
        { subject, ...judgeTask(task) },
        ...('failure' in task || isCheckedByAgent
          ? []
          : [
              {
                subject: 'Rights of the service',
                ...skip(
                  `The checks used the rights of ${accountName()}, not of ${task.account}. Start the background service and run doctor again.`,
                ),
              },
            ]),
      ]
    }
    case 'darwin':
      return [{ subject, ...judgeDaemon(readPlist(), runCheck) }]
    default:
      return []
  }
}
