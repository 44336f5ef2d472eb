import { problemNeedsAttention } from '../../../shared/status/problem.ts'
import type { ProblemGroup } from '../../../shared/status/status.ts'
import { showLine } from '../../../shared/words/escape-text.ts'
import { forecastLine, stopWords } from '../../../shared/words/forecast-words.ts'
import { formatBytes, formatClockSeconds, plural } from '../../../shared/words/format.ts'
import { freeSpaceLine } from '../../../shared/words/free-space-words.ts'
import { takeLine } from '../../../shared/words/take-words.ts'
import { transferLine } from '../../../shared/words/transfer-words.ts'
import { ownerWords, standingWords, type Tone } from '../../../shared/words/words.ts'
import type { WatchSnapshot, WatchSnapshotRow } from '../../agent/status/watch-snapshot.ts'
import { problemLine, rowWord, WORD_WIDTH, wrapText } from '../terminal.ts'

/** The live view as lines of text that fit the terminal. Colour never carries meaning by itself. */

export type Screen = { readonly columns: number; readonly rows: number; readonly hasColour: boolean }

export const NOT_RUNNING_SENTENCE = 'The agent is not running, so nothing is uploaded.'

const MIN_COLUMNS = 40
const BAR_WIDTH = 20
/** "100 %" */
const SHARE_WIDTH = 5

const colours: Readonly<Record<Tone, string>> = { good: '32', busy: '36', quiet: '90', warn: '33', bad: '31' }

const paint = (text: string, tone: Tone | 'bold', { hasColour }: Screen): string =>
  hasColour ? `\u001b[${tone === 'bold' ? '1' : colours[tone]}m${text}\u001b[0m` : text

/** Keeps the end of a path, because the end is more specific than the beginning. */
const fitWidth = (text: string, width: number): string =>
  text.length <= width ? text : `…${text.slice(text.length - Math.max(0, width - 1))}`

const nameOf = (path: string): string => path.split(/[/\\]/).at(-1) ?? path

const shareOf = ({ bytes, bytes_sent }: WatchSnapshotRow): number =>
  bytes === 0 ? 1 : Math.min(1, bytes_sent / bytes)

const progressBar = (share: number): string => {
  const full = Math.floor(share * BAR_WIDTH)
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}]`
}

/** A row omits the bar, then the size, then the share, until this much of the name fits. */
const MIN_NAME_WIDTH = 16

const inProgressLine = (row: WatchSnapshotRow, nowMs: number, screen: Screen): string => {
  const { tone } = standingWords[row.standing]
  const word = rowWord(row, nowMs)
  const share = `${Math.floor(shareOf(row) * 100)} %`.padStart(SHARE_WIDTH)
  const isUploading = row.standing === 'uploading'
  const ifUploading = (text: string) => (isUploading ? text : ' '.repeat(text.length))
  const size = formatBytes(row.bytes).padStart(7)
  const prefixes = [
    `${ifUploading(`${progressBar(shareOf(row))} ${share}`)}  ${size}  `,
    `${ifUploading(share)}  ${size}  `,
    `${ifUploading(share)}  `,
  ].map((rest) => `  ${word.padEnd(WORD_WIDTH)}  ${rest}`)
  const prefix = prefixes.find(({ length }) => length + MIN_NAME_WIDTH <= screen.columns) ?? `  ${word}  `
  const name = fitWidth(showLine(nameOf(row.path)), screen.columns - prefix.length)
  return prefix.replace(word, paint(word, tone, screen)) + name
}

const waitingLine = (row: WatchSnapshotRow, screen: Screen): string => {
  const prefix = `  ${formatBytes(row.bytes).padStart(7)}  `
  return prefix + fitWidth(showLine(row.path), screen.columns - prefix.length)
}

type GroupToShow = Pick<ProblemGroup, 'problem' | 'folder' | 'count'>

const folderText = ({ folder }: GroupToShow): string => (folder === undefined ? '' : `${folder}: `)

const countText = ({ count }: GroupToShow): string => (count < 2 ? '' : ` (${plural(count, 'recording')})`)

/** A problem with its folder, the next step, who has to act, and the number of recordings. */
const problemLines = (group: GroupToShow, { columns }: Screen): readonly string[] => {
  const { problem } = group
  const ownerText = problemNeedsAttention(problem) ? ` Needs ${ownerWords[problem.owner].inSentence}.` : ''
  const text = `${showLine(folderText(group) + problemLine(problem))}${ownerText}${countText(group)}`
  return wrapText(text, 4, columns).map((line, at) =>
    (at === 0 ? `  ! ${line.trimStart()}` : line).slice(0, columns),
  )
}

/** Returns at most `maxLines` lines. If not all items fit, the last line counts the remaining ones. */
const linesUpTo = <T>(
  all: readonly T[],
  maxLines: number,
  line: (item: T) => string,
  itemWords: string,
): readonly string[] =>
  all.length <= maxLines
    ? all.map(line)
    : [
        ...all.slice(0, Math.max(0, maxLines - 1)).map(line),
        `  … and ${plural(all.length - Math.max(0, maxLines - 1), `more ${itemWords}`, `more ${itemWords}`)}`,
      ]

const section = (title: string, lines: readonly string[], screen: Screen): readonly string[] =>
  lines.length === 0 ? [] : ['', paint(title, 'bold', screen), ...lines]

const headlineTone = ({ station }: WatchSnapshot): Tone | 'bold' =>
  station.problem !== null || station.standings['needs-attention'] > 0 ? 'warn' : 'bold'

const footerLines = (isRunning: boolean, nowMs: number, screen: Screen): readonly string[] => [
  '',
  ...(isRunning ? [] : wrapText(NOT_RUNNING_SENTENCE, 0, screen.columns)),
  paint(`${formatClockSeconds(new Date(nowMs).toISOString())}  q to quit`, 'quiet', screen),
]

/** "Now: 26.5 MB/s · 22.8 GB left". */
export const nowLine = ({
  bytes_per_second,
  bytes_left,
}: Pick<WatchSnapshot['station'], 'bytes_per_second' | 'bytes_left'>): string =>
  `Now: ${transferLine({ bytesPerSecond: bytes_per_second, bytesLeft: bytes_left })}`

/** "take-3.mcap stays on this PC. The target folder is full. (12 recordings)". */
export const stayingLine = ({ sentence, count }: WatchSnapshot['station']['staying'][number]): string =>
  `${sentence}${count === 1 ? '' : ` (${plural(count, 'recording')})`}`

export const viewLines = (snapshot: WatchSnapshot, nowMs: number, size: Screen): readonly string[] => {
  const screen = { ...size, columns: Math.max(MIN_COLUMNS, size.columns) }
  const { station, inProgress, waiting, problems } = snapshot
  const wrap = (text: string) =>
    wrapText(showLine(text), 0, screen.columns).map((line) => line.slice(0, screen.columns))
  const head = [
    ...wrap(station.headline).map((line) => paint(line, headlineTone(snapshot), screen)),
    ...(station.detail === '' ? [] : wrap(station.detail)),
  ]
  const details = [
    ...(station.bytes_per_second === null ? [] : wrap(nowLine(station))),
    ...(station.forecast.kind === 'nothing'
      ? []
      : wrap(`Time left: ${forecastLine(station.forecast, nowMs, stopWords(station))}`)),
    ...station.drive_space.flatMap((drive) => wrap(`Disk space on ${freeSpaceLine(drive)}`)),
    ...station.takes_to_check.newest.flatMap(({ held, ...take }) =>
      wrap(takeLine({ ...take, isHeld: held })),
    ),
    ...station.silences.flatMap(({ sentence, because }) => wrap(`${sentence} ${because}`)),
    ...station.staying.flatMap((files) => wrap(stayingLine(files))),
  ]
  const problemSection = section(
    'Problems',
    [
      ...station.conditions.flatMap((problem) => problemLines({ problem, count: 0 }, screen)),
      ...problems.flatMap((group) => problemLines(group, screen)),
    ],
    screen,
  )
  const footer = footerLines(snapshot.isRunning, nowMs, screen)
  // Reserve rows for the headline, the details, the problems and the footer. The two lists share the remaining rows.
  const freeRows = Math.max(
    4,
    screen.rows - head.length - details.length - problemSection.length - footer.length - 4,
  )
  const inProgressRows = Math.min(inProgress.length, Math.max(2, freeRows - Math.min(3, waiting.length)))
  const lines = [
    ...head,
    ...details,
    ...section(
      'In progress',
      linesUpTo(inProgress, inProgressRows, (row) => inProgressLine(row, nowMs, screen), 'in progress'),
      screen,
    ),
    ...section(
      `Waiting: ${plural(station.standings.waiting, 'recording')}`,
      linesUpTo(
        waiting,
        Math.max(1, freeRows - inProgressRows),
        (row) => waitingLine(row, screen),
        'waiting',
      ),
      screen,
    ),
    ...problemSection,
    ...footer,
  ]
  return lines.length <= screen.rows ? lines : [...lines.slice(0, screen.rows - 1), footer.at(-1) ?? '']
}

/** The view without its last line, which names the key to quit. It stays on the terminal after the watch ends. */
export const closingText = (snapshot: WatchSnapshot, nowMs: number, screen: Screen): string =>
  viewLines(snapshot, nowMs, screen).slice(0, -1).join('\n').trimEnd()

/** The lines for output to a file or pipe, by subject. The caller prints a line when its text changes. */
export const plainLines = ({
  station,
  inProgress,
  waiting,
  problems,
}: WatchSnapshot): ReadonlyMap<string, string> =>
  new Map([
    ['headline', station.headline],
    ...(station.detail === '' ? [] : [['detail', station.detail] as const]),
    ...station.conditions.map((condition): [string, string] => [
      `condition ${condition.code}`,
      problemLine(condition),
    ]),
    ...problems.map((group): [string, string] => [
      `problem ${group.problem.code} ${group.folder ?? ''}`,
      `${folderText(group)}${problemLine(group.problem)}${countText(group)}`,
    ]),
    ...station.staying.map((files): [string, string] => [`staying ${files.reason}`, stayingLine(files)]),
    ...[...inProgress, ...waiting].map((row): [string, string] => {
      const progress = row.standing === 'uploading' ? `${Math.floor(shareOf(row) * 10) * 10} %` : ''
      // Show no remaining seconds: a new line each second would bury the other lines.
      const word = rowWord(row).padEnd(WORD_WIDTH)
      return [`recording ${row.path}`, `${word}  ${progress.padStart(SHARE_WIDTH)}  ${row.path}`]
    }),
  ])
