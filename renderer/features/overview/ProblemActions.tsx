import { useState } from 'react'
import type { ProblemGroup } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import type { Place } from '../../navigation.ts'
import { fixWords, type RefusedField, refusedField, refusesName } from '../../refused-field.ts'

type Props = { readonly group: ProblemGroup; readonly goTo: (place: Place) => void }

/** Opens the place to fix the problem, lists its recordings, or retries them. */
export function ProblemActions({ group: { problem, count, folder, examples }, goTo }: Props) {
  const { attempt, failed } = useNotices()
  /** Ten thousand recordings take a while; a second press would double the work. */
  const [retrying, setRetrying] = useState(false)
  const [first] = examples
  const field = refusedField(problem)
  const isOver = problem.endsBy === 'person'

  const retry = async () => {
    setRetrying(true)
    const said = `Trying ${plural(count, 'recording')} ${isOver ? 'again' : 'now'}.`
    await attempt(() => ask('retryProblem', { code: problem.code }), said)
    setRetrying(false)
  }

  // One card can cover several folders. Starts with the first recording and its own message.
  const fix = async (refused: RefusedField) => {
    try {
      const { rows } = await ask('listRecordings', { problem: problem.code, limit: 1 })
      const [row] = rows
      if (row === undefined) return goTo({ screen: 'folders' })
      const sentence = row.problem?.sentence ?? problem.sentence
      goTo({ screen: 'folders', fix: { folder: row.folder, field: refused, sentence } })
    } catch (error) {
      failed(error)
    }
  }

  const show = () =>
    goTo({
      screen: 'recordings',
      problem: problem.code,
      ...(count === 1 && first !== undefined ? { recordingId: first.id } : {}),
    })

  return (
    <>
      {problem.code.startsWith('key-') && (
        <Button size="small" look="primary" onPress={() => goTo({ screen: 'service' })}>
          Change the key
        </Button>
      )}
      {field !== null && (
        <Button size="small" look="primary" onPress={() => void fix(field)}>
          {fixWords[field]}
        </Button>
      )}
      {refusesName(problem) && first !== undefined && (
        <Button
          size="small"
          look="primary"
          onPress={() =>
            void attempt(() => ask('showRecording', { id: first.id }), 'Shown in the file manager.')
          }
        >
          {count === 1 ? 'Show the file' : 'Show the first file'}
        </Button>
      )}
      {folder !== undefined && (
        <Button size="small" onPress={() => goTo({ screen: 'folders' })}>
          Show the folder
        </Button>
      )}
      {problem.code === 'key-other-organisation' && (
        <Button
          size="small"
          onPress={() =>
            void attempt(() => ask('acceptOrganisation'), 'Continuing in this key’s organisation.')
          }
        >
          Accept this organisation
        </Button>
      )}
      {count > 0 && (
        <>
          <Button size="small" onPress={show}>
            {count === 1 ? 'Show it' : 'Show them'}
          </Button>
          <Button size="small" busy={retrying} onPress={() => void retry()}>
            {`${count === 1 ? 'Try' : 'Try all'} ${isOver ? 'again' : 'now'}`}
          </Button>
        </>
      )}
    </>
  )
}
