import type { ProblemGroup } from '../../../shared/status/status.ts'
import { shortFolderName } from '../../../shared/words/words.ts'

export type NamedTitle = { readonly before: string; readonly name: string; readonly after: string }

/** What the name replaces. "The file name" and "The folder’s site" are about something else. */
const subjects = {
  folder: /^The folder (?=\p{L})/u,
  recording: /^The (?:file|recording) (?!name\b)/,
} as const

/** The title of a card about one folder or one recording names it. Null for several, and for the whole station. */
export const namedTitle = (
  { folder, count, examples }: Pick<ProblemGroup, 'folder' | 'count' | 'examples'>,
  sentence: string,
): NamedTitle | null => {
  const [first] = examples
  const given =
    folder !== undefined
      ? ({ kind: 'folder', before: 'Folder ', name: shortFolderName(folder) } as const)
      : count === 1 && first !== undefined
        ? ({ kind: 'recording', before: '', name: first.name } as const)
        : null
  if (given === null) return null
  const { kind, before, name } = given
  const rest = sentence.replace(subjects[kind], '')
  return { before, name, after: rest === sentence ? `: ${sentence}` : ` ${rest}` }
}
