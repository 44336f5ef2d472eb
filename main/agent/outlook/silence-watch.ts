import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { nightAt, nightsUntil, quarterOf, slotAt } from '../../../shared/status/nights.ts'
import type { Silence } from '../../../shared/status/status.ts'
import { nightRecordsUntil } from '../domain/recording-habit.ts'
import { judgeSilence } from '../domain/silence.ts'
import { silenceBecause, silenceSentence } from '../domain/silence-words.ts'
import type { Journal } from '../journal/journal.ts'

/** Sixteen weeks, so that eight weeks remain to learn from if the recorder was dead for the last eight. */
const JUDGED_NIGHTS = 112

export type FolderToCheck = {
  readonly folder: FolderSettings
  /** Whether the folder is present and the agent has scanned it since its start. */
  readonly isWatching: boolean
}

type Judgement = { readonly quarter: number; readonly cacheKey: string; readonly silence: Silence | null }

type Facts = {
  readonly lastFoundMs: number | null
  readonly pastSilences: readonly { readonly night: string; readonly silenceMark: 'reported' | 'dismissed' }[]
  readonly isRecording: boolean
  /** Everything that a judgement depends on besides the time. */
  readonly cacheKey: string
}

/**
 * All folders are due at the start of each quarter of an hour, and a judgement reads ten thousand counts. So each check
 * judges only a few folders, except for those with new facts, which never wait.
 */
const MAX_JUDGEMENTS_PER_CHECK = 2

const lastPartOf = (path: string): string => path.split(/[\\/]/).findLast((part) => part !== '') ?? path

/** The display name of a folder: its site, plus the folder name if the site has several folders. */
const nameOfFolder = (folder: FolderSettings, allFolders: readonly FolderSettings[]): string =>
  allFolders.filter(({ site }) => site === folder.site).length > 1
    ? `${folder.site} · ${lastPartOf(folder.path)}`
    : folder.site

/** Records when each folder is watched, and caches the result of the silence rule. */
export class SilenceWatch {
  readonly #journal: Journal
  readonly #notedQuarters = new Map<string, number>()
  #judgements: ReadonlyMap<string, Judgement> = new Map()

  constructor(journal: Journal) {
    this.#journal = journal
  }

  of(folder: string): Silence | null {
    return this.#judgements.get(folder)?.silence ?? null
  }

  /**
   * Checks all folders. Judges a folder again only when a new quarter of an hour has begun or its facts have changed.
   */
  check(folders: readonly FolderToCheck[], nowMs: number): void {
    const { station } = this.#journal
    const isPaused = station.currentPause() !== null
    const allFolders = folders.map(({ folder }) => folder)
    const judgements = new Map<string, Judgement>()
    let judgementCount = 0
    for (const { folder, isWatching } of folders) {
      if (!isWatching) continue
      this.#noteWatched(folder.path, nowMs)
      if (isPaused || folder.silence === 'off') continue
      const facts = this.#factsOf(folder, nowMs)
      const earlier = this.#judgements.get(folder.path)
      const isSame = earlier?.cacheKey === facts.cacheKey
      if (isSame && (earlier.quarter === quarterOf(nowMs) || judgementCount >= MAX_JUDGEMENTS_PER_CHECK))
        judgements.set(folder.path, earlier)
      else {
        judgementCount += 1
        judgements.set(folder.path, this.#judge(folder, nameOfFolder(folder, allFolders), facts, nowMs))
      }
    }
    this.#judgements = judgements
    station.setSilences(
      [...judgements].flatMap(([path, { silence }]) =>
        silence === null ? [] : [{ folder: path, ...silence }],
      ),
    )
  }

  #noteWatched(path: string, nowMs: number): void {
    const quarter = quarterOf(nowMs)
    if (this.#notedQuarters.get(path) === quarter) return
    this.#journal.nights.noteWatched(path, nowMs)
    this.#notedQuarters.set(path, quarter)
  }

  #factsOf(folder: FolderSettings, nowMs: number): Facts {
    const { nights, views } = this.#journal
    const lastFoundMs = views.lastFoundAtMs(folder.path)
    // Leave out a silence that was reported this night, because it is a result of the judgement.
    const pastSilences = nights
      .silentNights(folder.path)
      .filter(({ night, silenceMark }) => silenceMark === 'dismissed' || night < nightAt(nowMs).name)
    // While recordings arrive, the judgement is always "not silent".
    const isRecording = lastFoundMs !== null && quarterOf(lastFoundMs) >= quarterOf(nowMs) - 1
    const cacheKey = JSON.stringify([isRecording || lastFoundMs, pastSilences, folder.site, folder.silence])
    return { lastFoundMs, pastSilences, isRecording, cacheKey }
  }

  #judge(folder: FolderSettings, name: string, facts: Facts, nowMs: number): Judgement {
    const { nights } = this.#journal
    const { lastFoundMs, pastSilences, isRecording, cacheKey } = facts
    const quarter = quarterOf(nowMs)
    if (isRecording) return { quarter, cacheKey, silence: null }
    const tonight = nightAt(nowMs)
    const [first = tonight] = nightsUntil(nowMs, JUDGED_NIGHTS)
    const records = nightRecordsUntil(
      nowMs,
      JUDGED_NIGHTS,
      nights.history(folder.path, first.startMs),
      new Map(pastSilences.map(({ night, silenceMark }) => [night, silenceMark])),
    )
    const verdict = judgeSilence(records, slotAt(nowMs))
    if (verdict.kind !== 'silent') return { quarter, cacheKey, silence: null }
    if (verdict.expectedTonight) nights.noteSilence(folder.path, tonight.name)
    const startsTonight = verdict.night === tonight.name && verdict.recordedTonight === 0
    const sinceMs = startsTonight || lastFoundMs === null ? tonight.startMs : lastFoundMs
    const sentenceFacts = { name, sinceMs, nightStartMs: tonight.startMs, nowMs }
    return {
      quarter,
      cacheKey,
      silence: {
        loud: folder.silence === 'loud',
        sentence: silenceSentence(verdict, sentenceFacts),
        because: silenceBecause(verdict, sentenceFacts),
        since: new Date(sinceMs).toISOString(),
        night: tonight.name,
        usual: verdict.expectation.usual,
        tonight: verdict.recordedTonight,
      },
    }
  }
}
