import { pathsOf } from '../../shared/paths/paths.ts'
import { plural } from '../../shared/words/format.ts'
import { actOnPaths } from '../agent/calls/path-commands.ts'
import { journalFolder } from './journal-folder.ts'
import { type Command, type CommandDescription, defineCommand, type Operand } from './program/command.ts'
import { callAgentOrJournal } from './running-agent.ts'
import { printJson, printLine } from './terminal.ts'

/** Commands that act on one recording or one take, named by its path. */

const recordingPath: readonly Operand[] = [
  { value: { kind: 'file', name: 'PATH' }, summary: 'the path of a recording or take', required: true },
]

const recordingCommand = (
  description: Pick<CommandDescription, 'name' | 'summary' | 'about' | 'examples'>,
  action: 'retry' | 'prioritise',
  messages: { readonly done: (path: string) => string; readonly nothing: (take: string) => string },
): Command =>
  defineCommand({
    ...description,
    group: 'control',
    data: 'own',
    operands: recordingPath,
    options: {},
    json: 'path of the recording or take, session_id (its session before the command, null for a take of several files), and files (path and session_id of each).',
    exits: { 0: 'stored in the journal; a running agent acts on it at once' },
    run: async (input) => {
      const file = pathsOf(process.platform).resolve(process.cwd(), input.operands[0] ?? '')
      const request = { action, paths: [file] }
      const { done } = await callAgentOrJournal(journalFolder(input), 'actOnPaths', request, (journal) =>
        actOnPaths(journal, request),
      )
      const [first] = done
      if (first === undefined) throw new Error(messages.nothing(file))
      const { path, sessionId } = done.length === 1 ? first : { path: file, sessionId: null }
      const files = done.map((each) => ({ path: each.path, session_id: each.sessionId }))
      if (input.json) printJson({ path, session_id: sessionId, files })
      else printLine(messages.done(done.length === 1 ? path : `${path} (${plural(done.length, 'file')})`))
      return 0
    },
  })

export const retryCommand = recordingCommand(
  {
    name: 'retry',
    summary: 'retry a waiting or failed recording now',
    about: [
      'Ends the wait before the next try. If the recording failed at the service, Sluice uploads it again in a new session.',
      'The path may be relative to the current folder.',
    ],
    examples: ['sluice retry /data/takes/hall-3.mcap'],
  },
  'retry',
  {
    done: (path) => `Retrying ${path} now.`,
    nothing: (take) => `No file of the take ${take} waits or has failed.`,
  },
)

export const prioritiseCommand = recordingCommand(
  {
    name: 'prioritise',
    summary: 'upload this recording before the others',
    about: ['Moves the recording to the front of the queue.'],
    examples: ['sluice prioritise /data/takes/hall-3.mcap'],
  },
  'prioritise',
  {
    done: (path) => `${path} is now first in the queue.`,
    nothing: (take) => `Nothing of the take ${take} is left to upload.`,
  },
)
