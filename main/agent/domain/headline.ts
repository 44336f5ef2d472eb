import { conditionCodeOf, stationStateOf, stopsUploads } from '../../../shared/status/conditions.ts'
import type { Forecast } from '../../../shared/status/forecast.ts'
import type { DriveSpace } from '../../../shared/status/free-space.ts'
import { totalOf } from '../../../shared/status/night-parts.ts'
import { type Problem, type ProblemCode, problemNeedsAttention } from '../../../shared/status/problem.ts'
import { type ProblemOwner, problemOwners } from '../../../shared/status/problem-terms.ts'
import { hasUncheckedFolder, type Status } from '../../../shared/status/status.ts'
import { doneInBrief, doneInHeadline } from '../../../shared/words/forecast-words.ts'
import {
  capitalise,
  formatAgo,
  formatClock,
  momentInSentence,
  plural,
  timeInSentence,
} from '../../../shared/words/format.ts'
import { lowSentence } from '../../../shared/words/free-space-words.ts'
import {
  ownerWords,
  PAUSED_WORDS,
  safeFacts,
  safeSentence,
  shortFolderName,
} from '../../../shared/words/words.ts'

/** The input of the headline and its detail line. */
export type Situation = {
  readonly configured: boolean
  readonly standings: Status['standings']
  /** Recordings in the standing `recording` that no program writes any more. */
  readonly finishing: number
  readonly needs: Status['needs']
  /** Most serious first. */
  readonly conditions: readonly Problem[]
  readonly pausedUntil: string | null
  readonly paused: boolean
  /** Null if uploads are not paused, or if an older version paused them without storing the time. */
  readonly pausedSince: string | null
  readonly windowOpensAt: string | null
  /** The user's request to upload outside the upload hours. */
  readonly uploadNow: Status['station']['uploadNow']
  readonly folders: readonly {
    readonly path: string
    readonly problems: readonly { readonly problem: Pick<Problem, 'code' | 'owner' | 'endsBy'> }[]
  }[]
  /** Paths of the silent folders whose alarm is on. */
  readonly silentFolders: readonly string[]
  /** How many recordings deviate and are not dismissed. */
  readonly takesToCheck: number
  readonly driveSpace: readonly DriveSpace[]
  readonly forecast: Forecast
  readonly lastProcessedAtMs: number | null
  readonly nowMs: number
}

/** `headline`: one clause, usually of at most eight words. `detail`: the other facts, joined with " · ". */
export type Headline = { readonly headline: string; readonly detail: string }

/** One thing to show. The first fact becomes the headline, the others go to the detail line. */
type Fact = {
  readonly headline: string
  /** Added to the detail line if this fact is the headline. */
  readonly more?: string
  /** Shown in the detail line if a different fact is the headline. By default, `headline` is shown there. */
  readonly detail?: string
}

type OwnedFact = Fact & { readonly owner: ProblemOwner }

/** A time closer than this is shown without its day. */
const CLOCK_TIME_FOR_MS = 18 * 3_600_000

const formatMoment = (at: string, nowMs: number): string =>
  Date.parse(at) - nowMs < CLOCK_TIME_FOR_MS ? formatClock(at) : momentInSentence(at, nowMs)

/** The clause for one folder, and for several folders with the same problem. */
const folderClauses: Partial<
  Record<ProblemCode, { readonly one: (name: string) => string; readonly many: (folders: string) => string }>
> = {
  'folder-offline': {
    one: (name) => `Folder ${name} is missing`,
    many: (folders) => `${folders} are missing`,
  },
  'folder-replaced': {
    one: (name) => `Folder ${name} has a different drive`,
    many: (folders) => `${folders} have a different drive`,
  },
  'folder-unreadable': {
    one: (name) => `Folder ${name} cannot be read`,
    many: (folders) => `${folders} cannot be read`,
  },
  'folder-entry-unreadable': {
    one: (name) => `Files in ${name} cannot be read`,
    many: (folders) => `Files in ${folders} cannot be read`,
  },
  'folder-path-too-long': {
    one: (name) => `Paths in ${name} are too long`,
    many: (folders) => `Paths in ${folders} are too long`,
  },
  'file-name-not-text': {
    one: (name) => `File names in ${name} are invalid`,
    many: (folders) => `File names in ${folders} are invalid`,
  },
}

const otherFolderClause = {
  one: (name: string) => `Folder ${name} needs attention`,
  many: (folders: string) => `${folders} need attention`,
}

const MAX_HEADLINE_WORDS = 8

/** Names the owner in the headline if there is space, but not in the detail line. */
const factNamingOwner = (words: string, owner: ProblemOwner, count: number): OwnedFact => {
  const wordsWithOwner = `${words}, ${count === 1 ? 'needs' : 'need'} ${ownerWords[owner].inSentence}`
  const isShort = wordsWithOwner.split(' ').length <= MAX_HEADLINE_WORDS
  return { owner, headline: isShort ? wordsWithOwner : words, detail: words }
}

/** Folders with the same problem share one fact, to keep the line short. */
const folderFacts = ({ folders }: Situation): readonly OwnedFact[] => {
  const byCode = new Map<ProblemCode, { readonly owner: ProblemOwner; readonly paths: string[] }>()
  for (const { path, problems } of folders)
    for (const { problem } of problems) {
      if (!problemNeedsAttention(problem)) continue
      const group = byCode.get(problem.code) ?? { owner: problem.owner, paths: [] }
      if (!group.paths.includes(path)) group.paths.push(path)
      byCode.set(problem.code, group)
    }
  return [...byCode].map(([code, { owner, paths }]) => {
    const { one, many } = folderClauses[code] ?? otherFolderClause
    const [only = ''] = paths
    const words = paths.length === 1 ? one(shortFolderName(only)) : many(plural(paths.length, 'folder'))
    const fact = factNamingOwner(words, owner, paths.length)
    if (code !== 'folder-offline') return fact
    return { ...fact, more: `${paths.length === 1 ? 'Its' : 'Their'} files are not checked` }
  })
}

const driveFacts = ({ driveSpace }: Situation): readonly OwnedFact[] => {
  const lowDrives = driveSpace.filter((drive) => drive.low)
  const [only] = lowDrives
  if (only === undefined) return []
  const headline =
    lowDrives.length === 1 ? lowSentence(only) : `${plural(lowDrives.length, 'drive')} are almost full`
  return [factNamingOwner(headline, 'technician', lowDrives.length)]
}

const silenceFacts = ({ silentFolders }: Situation): readonly OwnedFact[] => {
  const [only] = silentFolders
  if (only === undefined) return []
  const headline =
    silentFolders.length === 1
      ? `Folder ${shortFolderName(only)} is silent`
      : `${plural(silentFolders.length, 'folder')} are silent`
  return [factNamingOwner(headline, 'technician', silentFolders.length)]
}

const takeFacts = ({ takesToCheck }: Situation): readonly OwnedFact[] =>
  takesToCheck === 0
    ? []
    : [
        factNamingOwner(
          `${plural(takesToCheck, 'recording is', 'recordings are')} not as expected`,
          'technician',
          takesToCheck,
        ),
      ]

const recordingFacts = ({ needs }: Situation): readonly OwnedFact[] =>
  problemOwners
    .filter((owner) => needs[owner] > 0)
    .map((owner) => ({
      owner,
      headline: `${plural(needs[owner], 'recording needs', 'recordings need')} ${ownerWords[owner].inSentence}`,
    }))

const shortWordsOf = ({ code, sentence }: Problem): string => conditionCodeOf(code)?.shortWords ?? sentence

/** A condition that the technician, the administrator or support has to fix. */
const ownedCondition = (problem: Problem): OwnedFact => ({
  owner: problem.owner,
  headline: `${shortWordsOf(problem)}, needs ${ownerWords[problem.owner].inSentence}`,
})

/**
 * A condition that clears by itself. During a pause, "Sluice keeps trying" and "Nothing to do" would be wrong, because
 * uploads stay stopped even after the condition clears.
 */
const temporaryCondition = (problem: Problem, { paused }: Situation): Fact => {
  const words = shortWordsOf(problem)
  if (stationStateOf(problem.code) !== 'offline' || paused) return { headline: words }
  return {
    headline: `${words}, Sluice keeps trying`,
    more: 'Nothing to do, recordings stay on this PC',
    detail: words,
  }
}

/** Everything that needs attention, sorted by owner. For each owner, conditions that stop all uploads come first. */
const needFacts = (situation: Situation): readonly OwnedFact[] => {
  const owned = situation.conditions.filter(problemNeedsAttention)
  const isStop = ({ code }: Problem) => stopsUploads(code)
  const facts = [
    ...owned.filter(isStop).map(ownedCondition),
    ...folderFacts(situation),
    ...driveFacts(situation),
    ...silenceFacts(situation),
    ...takeFacts(situation),
    ...recordingFacts(situation),
    ...owned.filter((problem) => !isStop(problem)).map(ownedCondition),
  ]
  return problemOwners.flatMap((owner) => facts.filter((fact) => fact.owner === owner))
}

/**
 * The headline if several people must act: "You and your administrator must act". The headline of one problem would
 * hide that a second person must act too.
 */
const actorFacts = (needs: readonly OwnedFact[]): readonly Fact[] => {
  const actors = problemOwners
    .filter((owner) => needs.some((need) => need.owner === owner))
    .map((owner) => ownerWords[owner].inSentence)
  const [last = '', ...others] = actors.toReversed()
  if (others.length === 0) return []
  return [{ headline: capitalise(`${others.toReversed().join(', ')} and ${last} must act`) }]
}

const pauseFacts = ({ paused, pausedUntil, pausedSince, nowMs }: Situation): readonly Fact[] => {
  if (!paused) return []
  const until = `until ${pausedUntil === null ? 'you resume' : formatMoment(pausedUntil, nowMs)}`
  const since = pausedSince === null ? null : `since ${timeInSentence(pausedSince, nowMs)}`
  return [
    {
      headline: `${PAUSED_WORDS}, nothing uploads`,
      more: capitalise(since === null ? until : `${since}, ${until}`),
      detail: [PAUSED_WORDS, ...(since === null ? [] : [since]), until].join(' '),
    },
  ]
}

const countToUpload = ({ standings }: Situation): number => standings.waiting + standings.uploading

const untilWords = (until: string | null, nowMs: number): string =>
  until === null ? '' : ` until ${formatMoment(until, nowMs)}`

/** Null unless a user lets the whole station ignore the upload hours. Uploads may still stop for another reason. */
const hoursIgnoredWords = ({ uploadNow, nowMs }: Situation): string | null =>
  uploadNow?.station === true ? `Upload hours ignored${untilWords(uploadNow.until, nowMs)}` : null

const hoursFacts = (situation: Situation): readonly Fact[] => {
  const { windowOpensAt, uploadNow, nowMs } = situation
  if (countToUpload(situation) === 0) return []
  const hoursIgnored = hoursIgnoredWords(situation)
  if (hoursIgnored !== null)
    return [
      {
        headline: `Uploading outside the upload hours${untilWords(uploadNow?.until ?? null, nowMs)}`,
        detail: hoursIgnored,
      },
    ]
  const startFacts =
    windowOpensAt === null
      ? []
      : [{ headline: `Upload hours start ${momentInSentence(windowOpensAt, nowMs)}` }]
  const singleUploads = uploadNow?.recordings ?? 0
  if (singleUploads === 0) return startFacts
  const words = plural(singleUploads, 'recording uploads', 'recordings upload')
  return [{ headline: `${words} outside the upload hours` }, ...startFacts]
}

/** The headline if there is no `Fact` to show. */
const progressClause = (situation: Situation): string => {
  const { standings, finishing, forecast, nowMs } = situation
  const total = totalOf(standings)
  if (total === 0) return 'Ready for the first recording'
  if (countToUpload(situation) > 0) {
    const doneWords = doneInBrief(forecast, nowMs)
    if (doneWords !== null) return `Uploading, ${doneWords}`
    return standings.uploading > 0
      ? `Uploading ${plural(standings.uploading, 'recording')}`
      : `${plural(standings.waiting, 'recording waits', 'recordings wait')} to upload`
  }
  if (standings['at-service'] > 0)
    return `${plural(standings['at-service'], 'recording')} processing at the service`
  if (standings.recording > finishing) return 'Recording in progress'
  if (finishing > 0) return `Finishing ${plural(finishing, 'recording')}`
  return safeSentence(standings.safe, total)
}

const countFacts = (situation: Situation, isProgress: boolean): readonly string[] => {
  const { standings, finishing, forecast, lastProcessedAtMs, nowMs } = situation
  const total = totalOf(standings)
  if (total === 0) return []
  const isAllSafe = standings.safe === total
  if (isProgress && isAllSafe)
    return lastProcessedAtMs === null
      ? []
      : [
          `${total === 1 ? 'Processed' : 'Last one'} ${formatAgo(new Date(lastProcessedAtMs).toISOString(), nowMs)}`,
        ]
  const briefDoneWords = doneInBrief(forecast, nowMs)
  const doneWords = doneInHeadline(forecast, nowMs)
  // The headline already shows a brief forecast. The detail line shows the forecast again only to add how many bytes
  // will be late.
  const facts = safeFacts(standings, {
    finishing,
    done: isProgress && briefDoneWords === doneWords ? null : doneWords,
    hasUncheckedFolder: hasUncheckedFolder(situation.folders),
  })
  const hasEnded = total === standings.safe + standings.dismissed + standings.elsewhere
  // The headline already shows how many recordings are safe.
  return isProgress && hasEnded ? facts.slice(1) : facts
}

export const headlineOf = (situation: Situation): Headline => {
  const needs = needFacts(situation)
  const temporary = situation.conditions.filter((problem) => !problemNeedsAttention(problem))
  const notices = temporary
    .filter(({ code }) => !stopsUploads(code))
    .map(({ sentence }) => sentence.replace(/\.$/, ''))
  const facts: readonly Fact[] = [
    ...(situation.configured ? [] : [{ headline: 'Sluice is not set up yet' }]),
    ...(situation.configured ? actorFacts(needs) : []),
    ...needs,
    ...temporary
      .filter(({ code }) => stopsUploads(code))
      .map((problem) => temporaryCondition(problem, situation)),
    ...pauseFacts(situation),
    ...hoursFacts(situation),
  ]
  const [first, ...rest] = facts
  if (first === undefined)
    return {
      headline: progressClause(situation),
      // Show `hoursIgnoredWords` even if nothing waits, because the request also applies to the next recording.
      detail: [
        ...notices,
        ...countFacts(situation, true),
        ...[hoursIgnoredWords(situation) ?? []].flat(),
      ].join(' · '),
    }
  const details = [
    ...(first.more === undefined ? [] : [first.more]),
    ...rest.map((fact) => fact.detail ?? fact.headline),
    ...notices,
    ...countFacts(situation, false),
  ]
  return { headline: first.headline, detail: details.join(' · ') }
}
