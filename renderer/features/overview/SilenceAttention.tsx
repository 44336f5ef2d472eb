import { nightInSentence } from '../../../shared/status/nights.ts'
import type { Silence } from '../../../shared/status/status.ts'
import { Button } from '../../components/Button.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useNow } from '../../data/use-now.ts'
import { AttentionCard } from './AttentionCard.tsx'

type Props = { readonly path: string; readonly silence: Silence }

/** A card for a folder that usually has some recordings by now, but has none. */
export function SilenceAttention({ path, silence: { sentence, because, night } }: Props) {
  const { attempt } = useNotices()
  const dismissWords = `Dismiss for ${nightInSentence(night, useNow()).replace(/^on /, '')}`
  return (
    <AttentionCard
      title={sentence}
      owner="technician"
      next={
        <>
          Check that the recorder is running. Sluice keeps watching <code>{path}</code>.
        </>
      }
      facts={because}
      actions={
        <Button
          size="small"
          onPress={() =>
            void attempt(
              () => ask('dismissSilence', { path, night }),
              'No more alerts about this folder for that night.',
            )
          }
        >
          {dismissWords}
        </Button>
      }
    />
  )
}
