import { problemOf } from '../../main/agent/domain/problems.ts'
import { endWords } from '../../renderer/components/hold-words.ts'
import { conditionOf, conditionWithCode } from '../../shared/status/conditions.ts'
import { type Problem, type ProblemCode, problemCodes } from '../../shared/status/problem.ts'
import { ownerOf, ownerWords, silentWords } from '../../shared/words/words.ts'
import { policyOf } from './failures-page.ts'

type Place = 'station' | 'folder' | 'recording'

const placeOf = (code: ProblemCode): Place => {
  if (conditionWithCode(code) !== null) return 'station'
  return code.startsWith('folder-') || code === 'file-name-not-text' ? 'folder' : 'recording'
}

const onlyLeftOut = 'Only this file or subfolder is left out; everything else continues.'
/** These problems do not stop their whole folder. */
const smallerEffects: Partial<Record<ProblemCode, string>> = {
  'file-name-not-text': onlyLeftOut,
  'folder-entry-unreadable': onlyLeftOut,
  'folder-path-too-long': onlyLeftOut,
  'folder-not-watched': 'The folder continues, more slowly.',
}

/** For these problems, the general words of `effectOf` would be wrong. */
const exactEffects: Partial<Record<ProblemCode, string>> = {
  'network-missing': 'Sluice sends nothing. New recordings are still queued.',
  'disk-full': 'The whole station waits. New recordings are queued as soon as the journal can be written.',
}

const effectOf = (code: ProblemCode): string => {
  const exact = exactEffects[code]
  if (exact !== undefined) return exact
  const condition = conditionWithCode(code)
  if (condition === null)
    return placeOf(code) === 'folder'
      ? (smallerEffects[code] ?? 'The other folders continue.')
      : 'Only the affected recordings wait; the others continue.'
  const { stops } = conditionOf(condition)
  if (stops.length === 2)
    return 'The whole station waits: no requests and no new parts. New recordings are still queued.'
  if (stops.includes('requests'))
    return 'Sluice sends no requests to the service, and uploads only parts that already have their URL. New recordings are still queued.'
  return stops.includes('parts')
    ? 'Uploads wait. Uploaded recordings are still processed.'
    : 'Uploads continue.'
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Skips descriptions that begin with "the same", and those that only repeat the sentence of the problem. */
const causesOf = ({ code, sentence }: Problem): string => {
  const causes = policyOf(code)
    .map(({ description }) => description.replace(', with Retry-After 120', ''))
    .filter(
      (description) => !description.startsWith('the same') && lettersOf(description) !== lettersOf(sentence),
    )
  return causes.length === 0 ? '' : ` Causes: ${causes.join('; ')}.`
}

/** For these problems, `ownerOf` returns "nobody", although they do not clear by themselves. */
const exactActors: Partial<Record<ProblemCode, string>> = {
  'update-available': ownerWords.admin.label,
  'folder-removed': `Nobody, if that was intended. Otherwise: ${ownerWords.admin.label.toLowerCase()}`,
}

const whoActs = (problem: Problem): string => {
  const exact = exactActors[problem.code]
  if (exact !== undefined) return exact
  const owner = ownerOf(problem)
  return owner === 'nobody'
    ? `${ownerWords.nobody.label}. If it does not: ${ownerWords[problem.owner].label.toLowerCase()}`
    : ownerWords[owner].label
}

/** More exact than the words in the window. */
const exactEnds: Partial<Record<ProblemCode, string>> = {
  'disk-full': 'the disk has free space',
  'clock-wrong': 'the clock is right',
  'folder-offline': 'the folder is back',
  'folder-unreadable': 'Sluice can read the folder',
  'folder-entry-unreadable': 'Sluice can read the file or subfolder',
  'folder-path-too-long': 'the path is shorter',
  'file-name-not-text': 'the file is renamed',
  'file-vanished': 'the file is back',
  'proxy-sign-in': 'the proxy lets Sluice through',
  'webhook-port-taken': 'the port is free, or the settings name a different one',
  'webhook-secret-missing': 'the endpoint is registered',
  'metrics-port-taken': 'the port is free, or the settings name a different one',
  'monitoring-locked': 'Sluice can read the secrets, or they are entered again',
  'restart-refused': 'a version that can take over is installed',
  'update-failed': 'an update succeeds',
  'update-task-missing': 'the task exists, or the version is installed',
  'update-available': 'the version is installed',
  'feed-refused': 'the feed is valid',
  'look-up-failed': 'the key may list sessions, or support resolves it',
}

/** The service or the storage chooses these delays. The policy table has only an example. */
const requestedDelays: Partial<Record<ProblemCode, string>> = {
  'rate-limited': 'after the time that the service requests',
  'storage-busy': 'after the time that the storage requests',
}

const everyWords = (duration: string): string =>
  `every ${{ '1 min': 'minute', '1 h': 'hour' }[duration] ?? duration}`

const retryWords = (retry: string): string =>
  retry
    .replace('its probe, ', '')
    .replace(/, growing to (.*)$/, (_, longest: string) => `, later ${everyWords(longest)}`)
    .replace(/^after 1 h$/, everyWords('1 h'))

const ending = (problem: Problem): string => {
  const retries = new Set(
    policyOf(problem.code).map(({ retry }) => requestedDelays[problem.code] ?? retryWords(retry)),
  )
  const isUsersDecision = problem.endsBy === 'person' && exactEnds[problem.code] === undefined
  const when =
    retries.size === 0 || retries.has('at once') || isUsersDecision
      ? ''
      : ` Sluice retries ${[...retries].join('; in some cases ')}.`
  const end = exactEnds[problem.code] ?? endWords(problem)
  return `${end === null ? 'It clears by itself.' : `It lasts until ${end}.`}${when}`
}

const entry = (code: ProblemCode): string => {
  const problem = problemOf(code)
  return `<a id="${code}"></a>
### ${problem.sentence}

- **Who acts**: ${whoActs(problem)}. Code: \`${code}\`.
- **Effect**: ${effectOf(code)}${causesOf(problem)}
- **What to do**: ${problem.next}
- **What ends it**: ${ending(problem)}
`
}

const entries = (place: Place): string =>
  problemCodes
    .filter((code) => placeOf(code) === place)
    .map(entry)
    .join('\n')

export const troubleshootingPage = (): string => `# Troubleshooting

A card in the window, a line of \`status\` or an alert begins with one of the headings below. Text in brackets after the heading
quotes the service, the storage or the system. Sluice notices most fixes by itself; after *Try now*, it checks at once. If a fix
needs a restart, the entry says so. If the window shows that the agent has stopped or is older than the window, see
[the window of a running agent](admin-guide.md#the-window-of-a-running-agent). \`npm run docs\` generates this page from the code;
do not edit it.

## The whole station

${entries('station')}
## A folder

${entries('folder')}
<a id="silent"></a>
### ${silentWords.word}

- **Who acts**: ${ownerWords.technician.label}.
- **Effect**: The folder usually has recordings by now and has no recent one. [silence.md](silence.md) explains how Sluice decides.
- **What to do**: Check the recorder.
- **What ends it**: It lasts until the next recording, or until a user dismisses it.

## A recording

<a id="take-deviates"></a>
### Check this recording

- **Who acts**: ${ownerWords.technician.label}. Code: \`take-deviates\`.
- **Effect**: The recording differs from the [expected content](admin-guide.md#expected-content) of its folder, or from its
  [usual content](takes.md). Sluice uploads it anyway, unless its folder is set to hold such recordings back (\`on_deviation\`).
- **What to do**: Check the recorder, and record again if needed.
- **What ends it**: It lasts until a user dismisses it.

${entries('recording')}`
