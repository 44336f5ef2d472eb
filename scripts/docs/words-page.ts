import { nightParts, standingsIn } from '../../shared/night-parts.ts'
import { recordingStates, standings, stationStates } from '../../shared/status.ts'
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
} from '../../shared/words.ts'

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const colour = (tone: Tone) => toneWords[tone].colour
const tones: readonly Tone[] = ['good', 'busy', 'quiet', 'warn', 'bad']
const owners: readonly Owner[] = ['technician', 'admin', 'service', 'nobody']

/** docs/words.md, from shared/words.ts. */
export const wordsPage = (): string => `# Words

One vocabulary for the window, the tray, the terminal, the notifications and the guides. \`npm run docs\` generates
this page from \`shared/words.ts\`; do not edit it.

## Where a recording stands

Every recording stands in exactly one of these places at any time.

${table(
  ['the word', 'colour', 'means'],
  standings.map((standing) => {
    const { word, tone, means } = standingWords[standing]
    return [word, colour(tone), means]
  }),
)}

A recording that waits because somebody paused it says *Paused* instead.

## The night

The bar on the overview is made of what was recorded since the last 18:00. Its parts always sum to that, and each leads
to its recordings.

${table(
  ['part', 'colour', 'is made of'],
  nightParts.map((part) => [
    nightPartWords[part].many,
    colour(nightPartWords[part].tone),
    standingsIn[part].map((standing) => standingWords[standing].word).join(', '),
  ]),
)}

## Whose job it is

${table(
  ['the card says', 'that is'],
  owners.map((owner) => [ownerWords[owner].label, ownerWords[owner].means]),
)}

## The station

${table(
  ['the word', 'colour', 'means'],
  stationStates.map((state) => {
    const { word, tone, means } = stationWords[state]
    return [word, colour(tone), means]
  }),
)}

## A folder

${table(
  ['the word', 'colour', 'means'],
  [...Object.values(folderWords), silentWords].map(({ word, tone, means }) => [word, colour(tone), means]),
)}

## Colours

A shape or a word always says the same as the colour.

${table(
  ['colour', 'means'],
  tones.map((tone) => [colour(tone), toneWords[tone].means]),
)}

## The steps in the details of a recording

${recordingStates.map((state) => `*${stageWords[state]}*`).join(', ')}: what has happened to it, each with its time. They are
history; where it stands now is told by the words above.
`
