import { previewSentences } from '../../../shared/ipc/removal-preview.ts'
import { afterUploadSchema } from '../../../shared/settings/settings.ts'
import { formatBytes, formatDate, plural } from '../../../shared/words/format.ts'
import { Banner } from '../../components/Banner.tsx'
import { ask } from '../../data/ask.ts'
import { useDebouncedCheck } from '../../data/use-debounced-check.ts'

const TYPING_PAUSE_MS = 300

type Props = { readonly folder: string; readonly policy: unknown }

/** Lists the files that the policy would remove now, even if the policy is not saved yet. */
export function RemovalPreviewNote({ folder, policy }: Props) {
  const parsed = afterUploadSchema.safeParse(policy)
  const afterUpload = parsed.success && parsed.data.action !== 'keep' ? parsed.data : null
  const ruleText = afterUpload === null || folder === '' ? null : JSON.stringify([folder, afterUpload])
  const preview = useDebouncedCheck(ruleText, TYPING_PAUSE_MS, () =>
    ask('previewRemovals', { path: folder, afterUpload: afterUpload ?? { action: 'keep' } }),
  )
  if (afterUpload === null || ruleText === null) return null
  if (preview.phase === 'checking')
    return <Banner tone="quiet">Checking what these rules would remove…</Banner>
  if (preview.phase === 'not-checked') return <Banner tone="warn">{preview.sentence}</Banner>
  const { files, count } = preview.verdict
  return (
    <Banner tone={count > 0 && afterUpload.action === 'delete' ? 'bad' : 'quiet'}>
      <p>{previewSentences(preview.verdict, afterUpload.action).join(' ')}</p>
      {files.length > 0 && (
        <details className="more">
          <summary>{count > files.length ? `First ${files.length}` : 'Which files'}</summary>
          <ul className="removal-files">
            {files.map((file) => (
              <li key={file.path}>
                <span className="removal-path">{file.path}</span>
                <span className="quiet small number">
                  {`${formatBytes(file.bytes)}, processed on ${formatDate(file.processedAt)}`}
                </span>
              </li>
            ))}
          </ul>
          {count > files.length && (
            <p className="quiet small">{`and ${plural(count - files.length, 'more recording')}`}</p>
          )}
        </details>
      )}
    </Banner>
  )
}
