import './small-heap.ts'
import './own-process.ts'
import { writeFor } from '../../../shared/format.ts'
import { localeOfPerson } from '../../../shared/person-format.ts'
import { redact } from '../../../shared/redact.ts'
import { printActivity } from './activity-command.ts'
import { doctor } from './doctor-command.ts'
import { type HeadlessCommand, parseHeadlessCommand, usage } from './headless-command.ts'
import { acceptKey, pause, printStatus, prioritise, resume, retry } from './journal-commands.ts'
import { previewRemoved } from './preview-command.ts'
import { writeReceipt } from './receipt-command.ts'
import { run } from './run-command.ts'
import { printLine } from './terminal.ts'
import { NOT_CHECKED, verify } from './verify-command.ts'
import { addWebhook } from './webhook-command.ts'

const carryOut = async (command: HeadlessCommand): Promise<number> => {
  switch (command.name) {
    case 'help':
      process.stdout.write(usage)
      return command.asked ? 0 : 1
    case 'run':
      return run(command.options)
    case 'status':
      printStatus(command.data, command.json)
      return 0
    case 'activity':
      printActivity(command)
      return 0
    case 'pause':
      pause(command.data)
      return 0
    case 'resume':
      resume(command.data)
      return 0
    case 'retry':
      retry(command.data, command.path)
      return 0
    case 'prioritise':
      prioritise(command.data, command.path)
      return 0
    case 'webhook':
      await addWebhook(command.options)
      return 0
    case 'accept-key':
      acceptKey(command.data)
      return 0
    case 'receipt':
      await writeReceipt(command.options)
      return 0
    case 'preview':
      await previewRemoved(command.options)
      return 0
    case 'verify':
      return verify(command.options)
    case 'doctor':
      return doctor(command.options)
  }
}

// Windows has no such variables; there Node knows the region.
writeFor(
  localeOfPerson(
    process.platform === 'win32' ? {} : process.env,
    () => new Intl.DateTimeFormat().resolvedOptions().locale,
  ),
)

try {
  process.exitCode = await carryOut(parseHeadlessCommand(process.argv.slice(2)))
} catch (error) {
  const message = redact(`sluice agent: ${error instanceof Error ? error.message : String(error)}`)
  for (const line of message.split('\n')) printLine(line, process.stderr)
  // To whoever runs it every night, 1 is a finding about recordings.
  process.exitCode = process.argv[2] === 'verify' ? NOT_CHECKED : 1
}
