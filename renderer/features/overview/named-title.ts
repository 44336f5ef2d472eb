import type { ProblemGroup } from '../../../shared/status/status.ts'
import { shortFolderName } from '../../../shared/words/words.ts'

export type NamedTitle = { readonly before: string; readonly name: string; readonly after: string }

/** The name replaces this start of the sentence. "The file name …" and "The folder’s site …" do not match. */
const subjectPatterns = {
  folder: /^The folder (?=\p{L})/u,
  recording: /^The (?:file|recording) (?!name\b)/,
} as const

/**
 * Puts the name of the folder, or of a single recording, into the title. Null if the problem affects several recordings
 * or the whole station.
 */
export const namedTitle = (
  { folder, count, examples }: Pick<ProblemGroup, 'folder' | 'count' | 'examples'>,
  sentence: string,
): NamedTitle | null => {
  const [first] = examples
  const subject =
    folder !== undefined
      ? ({ kind: 'folder', before: 'Folder ', name: shortFolderName(folder) } as const)
      : count === 1 && first !== undefined
        ? ({ kind: 'recording', before: '', name: first.name } as const)
        : null
  if (subject === null) return null
  const { kind, before, name } = subject
  const rest = sentence.replace(subjectPatterns[kind], '')
  return { before, name, after: rest === sentence ? `: ${sentence}` : ` ${rest}` }
}
