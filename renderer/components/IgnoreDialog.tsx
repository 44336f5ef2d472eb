import { useState } from 'react'
import type { IgnoreProposal } from '../../shared/ipc/ignore-preview.ts'
import type { DraftSettings } from '../../shared/settings/settings.ts'
import { plural } from '../../shared/words/format.ts'
import { ask } from '../data/ask.ts'
import { useNotices } from '../data/Notices.tsx'
import { useSettings } from '../data/SettingsView.tsx'
import { useLoad } from '../data/use-load.ts'
import { Banner } from './Banner.tsx'
import { Button } from './Button.tsx'
import { Radios } from './Choices.tsx'
import { Dialog } from './Dialog.tsx'
import { Managed, useLock } from './Managed.tsx'
import { LoadingRows } from './Placeholder.tsx'
import './ignore-dialog.css'

/** The settings after a change to the exclude patterns of one folder. */
const withExclude = (
  settings: DraftSettings,
  path: string,
  change: (exclude: readonly string[]) => readonly string[],
): DraftSettings => ({
  ...settings,
  folders: settings.folders.map((folder) =>
    folder.path === path ? { ...folder, exclude: [...change(folder.exclude)] } : folder,
  ),
})

const previewSentences = ({ needAttention, safe, inProgress }: IgnoreProposal): readonly string[] => [
  needAttention === 0
    ? 'No matching recording needs attention.'
    : `${plural(needAttention, 'recording needs', 'recordings need')} attention and will be dismissed.`,
  ...(inProgress === 0
    ? []
    : [`${plural(inProgress, 'recording is', 'recordings are')} in progress and will continue.`]),
  ...(safe === 0 ? [] : [`${plural(safe, 'recording is', 'recordings are')} already safe.`]),
]

/** Shows the recordings that match the pattern. Warns if some of them are safe or in progress. */
function Preview({ proposal }: { readonly proposal: IgnoreProposal }) {
  const { names, matching, safe, inProgress } = proposal
  const matchesUploads = safe + inProgress > 0
  return (
    <Banner tone={matchesUploads ? 'warn' : 'quiet'}>
      <p>
        {matchesUploads && <strong>Sluice currently uploads files like these. </strong>}
        {previewSentences(proposal).join(' ')}
      </p>
      <ul className="ignore-names">
        {names.map((name) => (
          <li key={name}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      {matching > names.length && (
        <p className="quiet small">{`and ${plural(matching - names.length, 'more recording')}`}</p>
      )}
    </Banner>
  )
}

type Props = { readonly id: number; readonly onClose: () => void }

/** Adds an exclude pattern to the folder of a recording, after a preview. */
export function IgnoreDialog({ id, onClose }: Props) {
  const { data, error } = useLoad(String(id), () => ask('previewIgnore', { id }))
  const { saveOrThrow } = useSettings()
  const { showSuccess, showError } = useNotices()
  const isLocked = useLock('folders') !== null
  const [chosenPattern, setChosenPattern] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const proposal = data?.proposals.find(({ pattern }) => pattern === (chosenPattern ?? data.suggested))

  const ignore = async (folder: string, pattern: string) => {
    // Dismiss before saving. After a save, Sluice retries recordings that waited for a settings change, and a recording
    // in a retry cannot be dismissed.
    const { acted, undo } = await ask('ignoreRecordings', { folder, pattern })
    const restoreDismissed = async () => {
      if (undo !== null) await ask('undoAction', { undo })
    }
    const savePatterns = (change: (patterns: readonly string[]) => readonly string[]) =>
      saveOrThrow((settings) => withExclude(settings, folder, change))
    try {
      await savePatterns((patterns) => [...new Set([...patterns, pattern])])
    } catch (reason) {
      await restoreDismissed()
      throw reason
    }
    const dismissal = acted === 0 ? '' : ` ${plural(acted, 'recording')} dismissed.`
    showSuccess(`Files like ${pattern} are ignored.${dismissal}`, async () => {
      await savePatterns((patterns) => patterns.filter((other) => other !== pattern))
      await restoreDismissed()
      return `Files like ${pattern} are no longer ignored.`
    })
  }

  const confirm = async () => {
    if (data === null || proposal === undefined) return
    setBusy(true)
    await ignore(data.folder, proposal.pattern).catch(showError)
    onClose()
  }

  return (
    <Dialog
      isOpen
      title="Ignore files like this"
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={busy}
            isDisabled={isLocked || proposal === undefined}
            onPress={() => void confirm()}
          >
            Ignore them
          </Button>
        </>
      }
    >
      {data === null && error === null && <LoadingRows rows={3} label="Loading" />}
      {error !== null && <Banner tone="warn">{error}</Banner>}
      {data !== null && proposal !== undefined && (
        <>
          <p>
            Sluice will not upload new files in <span className="selectable">{data.folder}</span> that match:
          </p>
          <Managed path="folders">
            <Radios
              label="Pattern"
              value={proposal.pattern}
              onChange={setChosenPattern}
              choices={data.proposals.map(({ pattern, matching }) => ({
                id: pattern,
                word: pattern,
                help: plural(matching, 'known recording'),
              }))}
            />
          </Managed>
          <Preview proposal={proposal} />
          <p className="quiet">
            Nothing is deleted, here or at the service. You can remove the pattern later under Folders.
          </p>
        </>
      )}
    </Dialog>
  )
}
