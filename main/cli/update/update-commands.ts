import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../shared/clock/clock.ts'
import { proveStart } from '../../agent/assembly/prove-start.ts'
import { loadSqlite } from '../../agent/journal/lock.ts'
import { ownVersion } from '../../agent/platform/process/own-version.ts'
import { userInControlOf } from '../../local-files/data-folder-owner.ts'
import { journalFolder } from '../journal-folder.ts'
import { defineCommand } from '../program/command.ts'
import { findAgentWithFolders } from '../running-agent.ts'
import { runAsUser } from '../switch-user.ts'
import { printJson, printLine } from '../terminal.ts'

const DEFAULT_HEALTHY_WITHIN_S = 120
const CHECK_INTERVAL_MS = 1_000

export const updateProveCommand = defineCommand({
  name: 'update prove',
  group: 'setup',
  summary: 'test whether this version can use the journal of the station',
  about: [
    'Copies the journal, migrates and checks the copy, and performs the first steps of a start on it. Then it removes the copy. It changes nothing else, and works while an agent of an older version runs.',
    'A new version runs the same test at its first start. Before a background service restarts after an update, it runs the test with the new version.',
  ],
  data: 'own',
  options: {},
  json: 'proof (passed, skipped or failed), reason.',
  exits: {
    0: 'this version can use the journal, or the test was skipped',
    1: 'this version cannot use the journal',
  },
  examples: ['sluice update prove --data /var/lib/sluice'],
  run: (input) => {
    const dataFolder = journalFolder(input)
    loadSqlite()
    // Run the test as the user of the data folder, so that the agent can open the files that a killed test leaves.
    const proof = runAsUser(userInControlOf(dataFolder), () =>
      proveStart({ dataFolder, version: ownVersion(), clock: systemClock }),
    )
    if (input.json) printJson({ proof: proof.kind, reason: proof.kind === 'passed' ? null : proof.reason })
    else if (proof.kind === 'failed') throw new Error(`This version cannot use the journal: ${proof.reason}.`)
    else
      printLine(
        proof.kind === 'passed' ? 'This version can use the journal.' : `Nothing to prove: ${proof.reason}.`,
      )
    return proof.kind === 'failed' ? 1 : 0
  },
})

export const updateHealthyCommand = defineCommand({
  name: 'update healthy',
  group: 'setup',
  summary: 'wait until an agent of this version runs and answers',
  about: [
    'For installers and roll-out scripts: run it after an update. If it fails, install the older version again, and run “sluice rollback” if that version cannot read the journal.',
  ],
  data: 'own',
  options: {
    within: {
      value: { kind: 'text', name: 'SECONDS' },
      summary: `how long to wait (default: ${DEFAULT_HEALTHY_WITHIN_S})`,
    },
  },
  json: null,
  exits: { 0: 'an agent of this version runs and answers', 1: 'no agent of this version answered in time' },
  examples: ['sluice update healthy --data /var/lib/sluice', 'sluice update healthy --within 300'],
  run: async (input) => {
    const seconds = Number(input.text('within') ?? DEFAULT_HEALTHY_WITHIN_S)
    if (!Number.isFinite(seconds) || seconds < 0) throw input.refuse('--within takes a number of seconds.')
    const version = ownVersion()
    const endMs = systemClock.monotonicMs() + seconds * 1000
    for (;;) {
      const found = await findAgentWithFolders(journalFolder(input))
      if (found !== null && found.agent.version === version) {
        printLine(`Agent ${version} runs (process ${found.agent.pid}).`)
        return 0
      }
      if (systemClock.monotonicMs() >= endMs)
        throw new Error(
          found === null
            ? `No agent answered within ${seconds} s. Read the log (sluice logs), or install the older version again.`
            : `The running agent still has version ${found.agent.version}, not ${version}.`,
        )
      await sleep(CHECK_INTERVAL_MS)
    }
  },
})
