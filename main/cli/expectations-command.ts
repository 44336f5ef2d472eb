import { systemClock } from '../../shared/clock/clock.ts'
import { learnedWords } from '../../shared/ipc/learned-expectation.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { learnFromFolder } from '../agent/calls/learn-from-folder.ts'
import { openJournalForCommand } from '../agent/journal/journal.ts'
import { folderToRead } from './journal-folder.ts'
import { defineCommand } from './program/command.ts'
import { jsonText, printJson, printLine, printWrapped } from './terminal.ts'

export const expectationsLearnCommand = defineCommand({
  name: 'expectations learn',
  group: 'setup',
  summary: 'propose the expected content of a folder’s recordings',
  about: [
    'Proposes a value for folders[].expect. Learns it from the folder’s last 30 inspected recordings: which channels most of them have, and limits for the rate and the gaps of each channel and for the duration. Uses only recordings of the most frequent format, and needs 5 of them. Leaves out recordings that are cut off, and recordings that Sluice has reported as not as expected, unless a user accepted them. Ignores extreme values, so the proposal may not fit some of these recordings, and prints how many. Changes nothing: check the proposal and add it to the settings.',
  ],
  data: 'own',
  operands: [
    { value: { kind: 'folder', name: 'FOLDER' }, summary: 'the path of a watched folder', required: true },
  ],
  options: {},
  json: 'folder, recordings (the number of inspected recordings that Sluice learned from), deviating (how many of these do not fit the proposal), left_out (how many recordings Sluice left out because they are not as expected) and expect (the proposal, or null if there are too few recordings).',
  exits: {
    0: 'the proposal was printed',
    1: 'the folder has too few inspected recordings, or is not watched',
  },
  examples: ['sluice expectations learn /data/takes'],
  run: (input) => {
    const paths = pathsOf(process.platform)
    const folder = paths.resolve(process.cwd(), input.operands[0] ?? '')
    const journal = openJournalForCommand(folderToRead(input), systemClock.wallMs, paths)
    try {
      const learned = learnFromFolder(journal, folder)
      const { expect, recordings, leftOut, deviating } = learned
      if (input.json) printJson({ folder, recordings, left_out: leftOut, deviating, expect })
      else {
        printWrapped(learnedWords(learned))
        if (expect !== null) {
          printLine('')
          process.stdout.write(`"expect": ${jsonText(expect, 2)}\n`)
        }
      }
      return expect === null ? 1 : 0
    } finally {
      journal.close()
    }
  },
})
