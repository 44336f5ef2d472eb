import { type ConditionName, stops, stopsNothing } from '../../main/agent/domain/conditions.ts'
import { problemOf } from '../../main/agent/domain/problems.ts'
import { endWords } from '../../renderer/components/hold-words.ts'
import { type Problem, type ProblemCode, problemCodes } from '../../shared/status.ts'
import { ownerOf, ownerWords, silentWords } from '../../shared/words.ts'
import { policyOf } from './policy-table.ts'

type Place = 'station' | 'folder' | 'recording'

/** Conditions that no failure of a request or a file leads to. */
const lookedFor: Partial<Record<ProblemCode, ConditionName>> = {
  'disk-full': 'disk',
  'key-missing': 'key',
  'key-other-organisation': 'organisation',
}

const conditionOf = (code: ProblemCode): ConditionName | null =>
  lookedFor[code] ?? policyOf(code).find(({ condition }) => condition !== null)?.condition ?? null

const placeOf = (code: ProblemCode): Place => {
  if (conditionOf(code) !== null || stopsNothing(code)) return 'station'
  return code.startsWith('folder-') || code === 'file-name-not-text' ? 'folder' : 'recording'
}

/** How far it reaches. */
const reach = (code: ProblemCode): string => {
  const condition = conditionOf(code)
  if (condition === null && stopsNothing(code)) return 'Recordings are uploaded all the same.'
  if (condition === null)
    return placeOf(code) === 'folder'
      ? 'The other folders go on.'
      : 'Only the recordings that have it wait; the others go on.'
  switch (stops[condition]) {
    case 'asking':
      return 'The whole station waits: nothing is asked or sent until it is over. New recordings are still collected.'
    case 'sending':
      return 'No recording is sent until it is over. What has been sent is processed meanwhile.'
    case 'nothing':
      return 'Recordings are uploaded all the same.'
  }
}

/** A row that only makes sense below another one says nothing here. */
const causes = (code: ProblemCode): string => {
  const seen = policyOf(code).flatMap(({ what }) => (what.startsWith('the same') ? [] : [what]))
  return seen.length === 0 ? '' : ` Seen as: ${seen.join('; ')}.`
}

const whose = (problem: Problem): string => {
  const owner = ownerOf(problem)
  return owner === 'nobody'
    ? `${ownerWords.nobody.label}. If it lasts: ${ownerWords[problem.owner].label.toLowerCase()}`
    : ownerWords[owner].label
}

const ending = (problem: Problem): string => {
  const looks = new Set(policyOf(problem.code).map(({ look }) => look.replace('its probe, ', '')))
  const when =
    looks.size === 0 || looks.has('after 0 s') ? '' : ` Sluice looks again ${[...looks].join(' or ')}.`
  const end = endWords(problem)
  return `${end === null ? 'Time: it passes, and Sluice continues.' : `It lasts until ${end}.`}${when}`
}

const entry = (code: ProblemCode): string => {
  const problem = problemOf(code)
  return `<a id="${code}"></a>
### ${problem.sentence}

- **Whose job**: ${whose(problem)}. Code: \`${code}\`.
- **Means**: ${reach(code)}${causes(code)}
- **What to do**: ${problem.next}
- **What ends it**: ${ending(problem)}
`
}

const entries = (place: Place): string =>
  problemCodes
    .filter((code) => placeOf(code) === place)
    .map(entry)
    .join('\n')

/** docs/troubleshooting.md, from the problem table, the conditions and the policy. */
export const troubleshootingPage = (): string => `# Troubleshooting

Every sentence that a card in the window, a line of \`status\` or an alert can begin with, and what is behind it. In brackets
behind it stand the other side’s own words. \`npm run docs\` generates this page from the code; do not edit
it. Nothing has to be told to Sluice once it is mended: it looks again by itself, and *Try now* only makes it sooner.

## The whole station

${entries('station')}
## A folder

${entries('folder')}
<a id="silent"></a>
### ${silentWords.word}

- **Means**: ${silentWords.means} How that is known is in [silence.md](silence.md).

## A recording

${entries('recording')}`
