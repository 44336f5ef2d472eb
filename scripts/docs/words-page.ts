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

/** docs/words.md, generated from shared/words/words.ts. */
export const wordsPage = (): string => `# Words

The vocabulary of the window, the tray, the terminal, the notifications and the guides. \`npm run docs\` generates this page
from \`shared/words/words.ts\`; do not edit it.

## The state of a recording

Every recording is in exactly one of these states.

${table(
  ['word', 'colour', 'meaning'],
  standings.map((standing) => {
    const { word, tone, means } = standingWords[standing]
    return [word, colour(tone), means]
  }),
)}

A waiting recording that a user paused shows *Paused* instead.

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

Colour is never the only signal: a shape or a word always shows the same.

${table(
  ['colour', 'meaning'],
  tones.map((tone) => [colour(tone), toneWords[tone].means]),
)}

## The stages in the details of a recording

The details show the history of a recording, each stage with its time:
${recordingStates.map((state) => `*${stageWords[state]}*`).join(', ')}.
The states above show where the recording is now.
`
