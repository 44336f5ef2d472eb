import { nightParts, standingsIn } from '../../shared/status/night-parts.ts'
import { standings } from '../../shared/status/standing.ts'
import { recordingStates, stationStates } from '../../shared/status/status.ts'
import {
  folderWords,
  nightPartWords,
  type Owner,
  ownerWords,
  silentWords,
  stageWords,
  standingWords,
  stationWords,
  type Tone,
  toneWords,
} from '../../shared/words/words.ts'

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const colour = (tone: Tone) => toneWords[tone].colour
const tones: readonly Tone[] = ['good', 'busy', 'quiet', 'warn', 'bad']
const owners: readonly Owner[] = ['technician', 'admin', 'service', 'nobody']

const terms: readonly (readonly [string, string])[] = [
  ['station', 'one PC that records, with its folders, settings and journal'],
  ['recording', 'one file that a recorder writes into a watched folder'],
  ['take', 'one recording, or several files that belong together'],
  ['folder', 'a folder that Sluice watches, with its own site, device and rules'],
  ['site, device', 'the place and the machine of a recording; both are stored with its session'],
  ['service', 'the system that receives, stores and processes the recordings'],
  ['session', 'the entry of one recording at the service'],
  ['part', 'a piece of a recording that Sluice uploads in one request'],
  ['agent', 'the process that watches the folders and uploads, with or without a window'],
  ['headless agent', 'an agent without a window: `sluice run`, or the background service'],
  ['background service', 'an agent that the system starts at boot, without a signed-in user'],
  ['journal', 'the database on this PC in which Sluice writes every step'],
  ['data folder', 'the folder with the journal, settings and logs of a station'],
  ['settle time', 'how long a file must be unchanged until it counts as finished (`settle_seconds`)'],
  ['upload hours', 'the hours in which Sluice may upload (`transfer.windows`)'],
  ['managed settings', 'settings that an administrator rolls out; the window shows them as locked'],
  ['condition', 'a problem of the whole station, such as a missing network'],
  [
    'request ID',
    'the service’s name for one request, such as `req_8fK2`; with it, support finds the request',
  ],
  ['receipt', 'a file that lists recordings with their checksums and sessions, to prove the uploads'],
  ['sandbox', 'a service on this PC for practice and tests; recordings in it are not safe'],
  ['try-out', 'the use of Sluice with the sandbox inside the app, in a data folder of its own'],
]

export const wordsPage = (): string => `# Words

The vocabulary of the window, the tray, the terminal, the notifications and the guides. \`npm run docs\` generates this page
from \`shared/words/words.ts\` and \`scripts/docs/words-page.ts\`; do not edit it.

## Terms

${table(['word', 'meaning'], terms)}

## The state of a recording

Every recording is in exactly one of these states. In \`--json\` output and metrics, this is its \`standing\`.

${table(
  ['word', 'colour', 'meaning'],
  standings.map((standing) => {
    const { word, tone, means } = standingWords[standing]
    return [word, colour(tone), means]
  }),
)}

Two more words replace a state: *Paused* for a waiting recording that a user paused, and *Cut off* for an unfinished file whose end
is missing.

## The night

The bar on the overview shows the recordings since the last 18:00. Its parts add up to all of these recordings. Each
part links to its recordings.

${table(
  ['part', 'colour', 'states'],
  nightParts.map((part) => [
    nightPartWords[part].many,
    colour(nightPartWords[part].tone),
    standingsIn[part].map((standing) => standingWords[standing].word).join(', '),
  ]),
)}

## Who has to act

${table(
  ['on the card', 'colour', 'who that is'],
  owners.map((owner) => {
    const { label, colour, means } = ownerWords[owner]
    return [label, colour, means]
  }),
)}

## The station

${table(
  ['word', 'colour', 'meaning'],
  stationStates.map((state) => {
    const { word, tone, means } = stationWords[state]
    return [word, colour(tone), means]
  }),
)}

## A folder

${table(
  ['word', 'colour', 'meaning'],
  [...Object.values(folderWords), silentWords].map(({ word, tone, means }) => [word, colour(tone), means]),
)}

## Colours

Colour is never the only signal: a shape or a word always says the same as the colour. Violet and slate blue only show who has
to act.

${table(
  ['colour', 'meaning'],
  tones.map((tone) => [colour(tone), toneWords[tone].means]),
)}

## The stages in the details of a recording

The details show the history of a recording, each stage with its time. In \`--json\` output, the stage is its \`state\`.

${table(
  ['stage', '`state`'],
  recordingStates.map((state) => [stageWords[state], `\`${state}\``]),
)}
`
