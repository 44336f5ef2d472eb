import { nightInSentence } from '../../../shared/status/nights.ts'
import type { FolderStatus } from '../../../shared/status/status.ts'
import { ownerWords } from '../../../shared/words/words.ts'
import { Button } from '../../components/Button.tsx'
import { Icon } from '../../components/Icon.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useNow } from '../../data/use-now.ts'

/** One card for each folder that usually has recordings by now and has none. */
export function SilenceCards({ folders }: { readonly folders: readonly FolderStatus[] }) {
  const { attempt } = useNotices()
  const now = useNow()
  const dismissWords = (night: string) => `Dismiss for ${nightInSentence(night, now).replace(/^on /, '')}`
  return folders.map(({ path, silence }) =>
    silence === null ? null : (
      <article key={path} className="problem">
        <span className="problem-icon tone-warn">
          <Icon name="triangle" size={18} />
        </span>
        <div className="problem-body">
          <p className="problem-sentence selectable">{silence.sentence}</p>
          <p>
            <span className="owner">{ownerWords.technician.label}</span> Check that the recorder is running.
            Sluice keeps watching <code>{path}</code>.
          </p>
          <p className="quiet small">{silence.because}</p>
        </div>
        <div className="row problem-actions">
          <Button
            onPress={() =>
              void attempt(
                () => ask('dismissSilence', { path, night: silence.night }),
                'No more alerts about this folder for that night.',
              )
            }
          >
            {dismissWords(silence.night)}
          </Button>
        </div>
      </article>
    ),
  )
}
