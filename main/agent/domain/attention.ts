import { type ProblemCode, problemNeedsAttention } from '../../../shared/status/problem.ts'
import type { ProblemOwner } from '../../../shared/status/problem-terms.ts'
import type { Status } from '../../../shared/status/status.ts'
import { freeWords, lowSentence } from '../../../shared/words/free-space-words.ts'
import { takeLine } from '../../../shared/words/take-words.ts'

/** One cause that a person has to act on, however many recordings it affects. */
export type Need = {
  /**
   * Identifies the need while it lasts. Two missing folders are two needs, but ten thousand recordings with one cause
   * are one need.
   */
  readonly subject: string
  readonly about: 'station' | 'folder' | 'recordings' | 'silence' | 'take' | 'drive'
  readonly code: ProblemCode | 'silence' | 'take-deviates' | 'drive-low'
  readonly owner: ProblemOwner
  readonly sentence: string
  readonly next: string
  readonly recordings: number
  readonly folder: string | null
}

/**
 * What needs attention now: problems that do not clear by themselves, silent folders with `silence: loud`, the newest
 * recordings to check, and drives that are low on space.
 */
export const needsIn = (status: Status): readonly Need[] => [
  ...status.problems
    .filter(({ problem }) => problemNeedsAttention(problem))
    .map(({ problem, count, folder = null }): Need => {
      const about = folder !== null ? 'folder' : count > 0 ? 'recordings' : 'station'
      const { code, owner, sentence, next } = problem
      return {
        subject: `${about} ${code}${folder === null ? '' : ` ${folder}`}`,
        about,
        code,
        owner,
        sentence,
        next,
        recordings: count,
        folder,
      }
    }),
  ...status.folders.flatMap(({ path, silence }): Need[] =>
    silence?.loud !== true
      ? []
      : [
          {
            subject: `silence ${path}`,
            about: 'silence',
            code: 'silence',
            owner: 'technician',
            sentence: silence.sentence,
            next: 'Check the recorder.',
            recordings: 0,
            folder: path,
          },
        ],
  ),
  ...status.takesToCheck.newest.map(
    (take): Need => ({
      subject: `take ${take.id}`,
      about: 'take',
      code: 'take-deviates',
      owner: 'technician',
      sentence: takeLine(take),
      next: 'Check the recorder, and record again if needed.',
      recordings: 1,
      folder: take.folder,
    }),
  ),
  ...status.driveSpace
    .filter(({ low }) => low)
    .map(
      (drive): Need => ({
        subject: `drive ${drive.name}`,
        about: 'drive',
        code: 'drive-low',
        owner: 'technician',
        sentence: `${lowSentence(drive)}: ${freeWords(drive)}.`,
        next: 'Free up space on this drive.',
        recordings: 0,
        folder: null,
      }),
    ),
]
