import { systemClock } from '../../shared/clock/clock.ts'
import * as commands from '../agent/calls/commands.ts'
import { journalFolder } from './journal-folder.ts'
import { defineCommand } from './program/command.ts'
import { callAgentOrJournal } from './running-agent.ts'
import { printJson, printLine } from './terminal.ts'

export const acceptKeyCommand = defineCommand({
  name: 'accept-key',
  group: 'control',
  summary: 'accept the key of a different organisation',
  about: [
    'Use this command if Sluice stopped because the key belongs to a different organisation than the station’s sessions. After the command, recordings that the old organisation processed no longer count as safe.',
  ],
  data: 'own',
  options: {},
  json: 'accepted (true).',
  exits: { 0: 'accepted' },
  examples: ['sluice accept-key'],
  run: async (input) => {
    await callAgentOrJournal(journalFolder(input), 'acceptOrganisation', undefined, (journal) => {
      commands.acceptOrganisation(journal, systemClock.wallMs())
      return null
    })
    if (input.json) printJson({ accepted: true })
    else printLine('Key accepted. The station continues in the key’s organisation.')
    return 0
  },
})
