import { systemClock } from '../../shared/clock/clock.ts'
import { plural } from '../../shared/words/format.ts'
import { loadSqlite, takeAgentLock } from '../agent/journal/lock.ts'
import { planRollBack, rollBack } from '../agent/journal/roll-back.ts'
import { userInControlOf } from '../local-files/data-folder-owner.ts'
import { journalFolder } from './journal-folder.ts'
import { defineCommand } from './program/command.ts'
import { runAsUser } from './switch-user.ts'
import { printJson, printLine } from './terminal.ts'
import { confirmByTyping } from './typed-confirmation.ts'

const CONFIRMATION_WORD = 'rollback'

export const rollbackCommand = defineCommand({
  name: 'rollback',
  group: 'control',
  summary: 'restore the journal from before an update',
  about: [
    'Install the older version first. This command restores the last journal of the older version. At its next start, Sluice scans the folders and finds the recordings that are not in this journal. It finds their sessions at the service by content, so it uploads nothing twice.',
    'The command moves the journal of the newer version to the folder newer-TIME in the data folder.',
  ],
  data: 'own',
  options: { yes: { summary: `do not ask for the word “${CONFIRMATION_WORD}”` } },
  json: 'backed_up_at, changed (the number of recordings that have been added or changed in the journal since then), missing (the paths of those recordings whose files are no longer there), newer_journal.',
  exits: {
    0: 'restored',
    1: 'not restored (stderr has the reason). If the command was interrupted, run it again, then start Sluice',
  },
  examples: ['sluice rollback --data /var/lib/sluice'],
  run: async (input) => {
    const folder = journalFolder(input)
    loadSqlite()
    // Root acts as the user who controls the data folder, so that this user can open every file afterwards.
    const user = userInControlOf(folder)
    const lock = runAsUser(user, () => takeAgentLock(folder))
    try {
      const plan = runAsUser(user, () => planRollBack(folder))
      const { backedUpAt, changed, missing } = plan
      const show = (line: string) => printLine(line, process.stderr)
      show(
        `Since ${backedUpAt}, ${plural(changed, 'recording has', 'recordings have')} been added or changed in the journal. At its next start, Sluice finds every such recording again if its file is still at the same path.`,
      )
      if (missing.length > 0) {
        show(
          `${plural(missing.length, 'file is', 'files are')} no longer at the path in the journal. Only the newer journal shows what happened to them:`,
        )
        for (const name of missing) show(`  ${name}`)
      }
      if (
        !input.has('yes') &&
        !(await confirmByTyping(
          CONFIRMATION_WORD,
          `Type ${CONFIRMATION_WORD} to restore the journal of ${backedUpAt}: `,
        ))
      )
        throw new Error('Nothing was changed.')
      const newerJournal = runAsUser(user, () => rollBack(folder, plan, systemClock.wallMs()))
      if (input.json) printJson({ backed_up_at: backedUpAt, changed, missing, newer_journal: newerJournal })
      else printLine(`The journal is restored. The newer one is in ${newerJournal}. Start Sluice now.`)
      return 0
    } finally {
      runAsUser(user, () => lock.release())
    }
  },
})
