import path from 'node:path'
import type { CheckedArgs } from '../../shared/ipc/ipc.ts'
import { plural } from '../../shared/words/format.ts'
import { replaceEdited } from '../agent/calls/path-commands.ts'
import { FILE } from '../agent/journal/journal-files.ts'
import { isThere } from '../local-files/missing-rights.ts'
import { callAgentOrJournal } from './running-agent.ts'
import { warn } from './station-settings.ts'

const FILES_PER_CALL = 1_000

/**
 * Notes in the journal that these files were edited in place, so that the agent uploads their new content. Returns the
 * number of replaced recordings. Users may verify a receipt on a PC without a station, so this does nothing without a
 * journal. After a failure, only warns, because the report of `sluice verify` is still valid.
 */
export const replaceEditedFiles = async (
  dataFolder: string,
  files: CheckedArgs<'replaceEdited'>,
): Promise<number> => {
  let replacedCount = 0
  try {
    if (files.length === 0 || !isThere(path.join(dataFolder, FILE))) return 0
    for (let from = 0; from < files.length; from += FILES_PER_CALL) {
      const chunk = files.slice(from, from + FILES_PER_CALL)
      const replaced = await callAgentOrJournal(dataFolder, 'replaceEdited', chunk, (journal) =>
        replaceEdited(journal, chunk).map((recording) => recording.path),
      )
      replacedCount += replaced.length
    }
  } catch (error) {
    warn([(error as Error).message])
  }
  return replacedCount
}

export const replacedTexts = (count: number): readonly string[] =>
  count === 0
    ? []
    : [
        `${plural(count, 'edited file')} ${count === 1 ? 'becomes a new recording' : 'become new recordings'}. The agent uploads the new content.`,
      ]
