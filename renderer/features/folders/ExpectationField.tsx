import { useState } from 'react'
import { learnedWords } from '../../../shared/ipc/learned-expectation.ts'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Fields.tsx'
import { ask } from '../../data/ask.ts'
import { sentenceOf } from '../../data/shown-error.ts'
import { type ExpectationDraft, expectationDraftOf, readExpectation } from './expectation-draft.ts'

type Props = {
  /** The path of the folder in the settings. Null for a new folder: it has no recordings to learn from. */
  readonly folder: string | null
  readonly draft: ExpectationDraft
  readonly onChange: (draft: ExpectationDraft) => void
  readonly errorAt: (path: string) => string | null
}

const MIN_LINES = 3
const MAX_LINES = 10

/** The content that each recording of the folder should have. */
export function ExpectationField({ folder, draft, onChange, errorAt }: Props) {
  const [learnedSentence, setLearnedSentence] = useState<string | null>(null)
  const learn = async (path: string) => {
    try {
      const result = await ask('learnExpectation', { path })
      setLearnedSentence(learnedWords(result))
      if (result.expect !== null) onChange(expectationDraftOf(result.expect))
    } catch (error) {
      setLearnedSentence(sentenceOf(error))
    }
  }
  const channels = readExpectation(draft).expect?.channels ?? []
  const channelError = channels.flatMap((_channel, index) =>
    ['name', 'min_rate_hz', 'max_gap_seconds'].flatMap((field) => {
      const error = errorAt(`expect.channels.${index}.${field}`)
      return error === null ? [] : [`Line ${index + 1}: ${error}`]
    }),
  )[0]
  return (
    <details className="more">
      <summary>{settingNames['folders.expect']}</summary>
      <div className="stack">
        <p className="field-help">
          Sluice compares each recording with these values. If there are no values, Sluice compares the
          recording with the folder’s earlier recordings.
        </p>
        {folder !== null && (
          <div className="row">
            <Button size="small" onPress={() => void learn(folder)}>
              Learn from the last recordings
            </Button>
            <span className="small" role="status">
              {learnedSentence}
            </span>
          </div>
        )}
        <TextField
          label={settingNames['folders.expect.channels']}
          help="One channel per line. * matches any characters. Lowest rate, longest gap and “not constant” are optional. “not constant” reports black or frozen pictures and silent sound."
          placeholder="/camera/*, 25 Hz, 1 s, not constant"
          lines={Math.min(MAX_LINES, Math.max(MIN_LINES, channels.length))}
          value={draft.channels}
          onChange={(value) => onChange({ ...draft, channels: value })}
          error={channelError ?? errorAt('expect.channels')}
        />
        <div className="field-pair">
          <TextField
            label={settingNames['folders.expect.min_seconds']}
            unit="seconds"
            inputMode="decimal"
            value={draft.minSeconds}
            onChange={(minSeconds) => onChange({ ...draft, minSeconds })}
            error={errorAt('expect.min_seconds')}
          />
          <TextField
            label={settingNames['folders.expect.max_seconds']}
            unit="seconds"
            inputMode="decimal"
            value={draft.maxSeconds}
            onChange={(maxSeconds) => onChange({ ...draft, maxSeconds })}
            error={errorAt('expect.max_seconds')}
          />
        </div>
      </div>
    </details>
  )
}
