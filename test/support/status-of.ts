import { type StatusReport, statusReport } from '../../main/agent/status/status-report.ts'
import { withJournal } from '../../main/cli/journal-commands.ts'

/** The output of `status --json` without its field `agent`, read from the journal. */
export const statusOf = (dataFolder: string): StatusReport =>
  withJournal(dataFolder, (journal) => statusReport(journal, null))
