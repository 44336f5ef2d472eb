import * as commands from '../calls/commands.ts'
import { systemClock } from '../platform/system-clock.ts'
import { withJournal } from './journal-commands.ts'
import { defineCommand } from './program/command.ts'
import { printJson, printLine } from './terminal.ts'

export const acceptKeyCommand = defineCommand({
  name: 'accept-key',
  group: 'act',
  summary: 'continue with a key of another organisation than before',
  about: [
    'Only while the station is stopped because the key opens another organisation than the one that has its sessions. What the old one has processed does not count as safe from then on.',
  ],
  data: 'own',
  options: {},
  json: 'accepted (true).',
  exits: { 0: 'accepted' },
  examples: ['sluice accept-key'],
  carryOut: (typed) => {
    withJournal(typed.data, (journal) => commands.acceptOrganisation(journal, systemClock.wallMs()))
    if (typed.json) printJson({ accepted: true })
    else printLine('The key is accepted: the station continues with its organisation.')
    return 0
  },
})
