import { acceptKeyCommand } from '../accept-key-command.ts'
import { activityCommand } from '../activity-command.ts'
import { dismissCommand } from '../dismiss-command.ts'
import { doctorCommand } from '../doctor-command.ts'
import { expectationsLearnCommand } from '../expectations-command.ts'
import { exportRecordingsCommand, exportSettingsCommand } from '../export-command.ts'
import { logsCommand } from '../logs-command.ts'
import { pauseCommand, resumeCommand } from '../pause-command.ts'
import { previewCommand } from '../preview-command.ts'
import { receiptCommand } from '../receipt-command.ts'
import { prioritiseCommand, retryCommand } from '../recording-commands.ts'
import { rollbackCommand } from '../rollback-command.ts'
import { runCommand } from '../run-command.ts'
import {
  serviceInstallCommand,
  serviceStartCommand,
  serviceStatusCommand,
  serviceStopCommand,
  serviceUninstallCommand,
} from '../service/service-commands.ts'
import { sessionsListCommand, sessionsShowCommand } from '../sessions-command.ts'
import { sessionsDeleteCommand } from '../sessions-delete-command.ts'
import { settingsCheckCommand, settingsShowCommand } from '../settings-commands.ts'
import { statusCommand } from '../status-command.ts'
import { updateHealthyCommand, updateProveCommand } from '../update/update-commands.ts'
import { updateInstallCommand } from '../update/update-install-command.ts'
import { uploadNowCommand } from '../upload-now-command.ts'
import { verifyCommand } from '../verify-command.ts'
import { webhookCommand } from '../webhook-command.ts'
import type { Command } from './command.ts'
import { completionCommand } from './completion-command.ts'
import { helpCommand, versionCommand } from './help-command.ts'

/** All commands in the order of the help. `npm run docs` generates `docs/commands.md` from this list. */
export const commands: readonly Command[] = [
  statusCommand,
  activityCommand,
  logsCommand,
  sessionsListCommand,
  sessionsShowCommand,
  runCommand,
  pauseCommand,
  resumeCommand,
  uploadNowCommand,
  retryCommand,
  prioritiseCommand,
  dismissCommand,
  acceptKeyCommand,
  rollbackCommand,
  sessionsDeleteCommand,
  doctorCommand,
  receiptCommand,
  previewCommand,
  verifyCommand,
  exportRecordingsCommand,
  settingsCheckCommand,
  settingsShowCommand,
  exportSettingsCommand,
  expectationsLearnCommand,
  serviceInstallCommand,
  serviceUninstallCommand,
  serviceStartCommand,
  serviceStopCommand,
  serviceStatusCommand,
  updateProveCommand,
  updateHealthyCommand,
  updateInstallCommand,
  webhookCommand,
  completionCommand,
  helpCommand,
  versionCommand,
]
