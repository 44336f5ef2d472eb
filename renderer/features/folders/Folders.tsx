import { useEffect, useState } from 'react'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { LockNote, useLock } from '../../components/Managed.tsx'
import { LoadingRows, Placeholder } from '../../components/Placeholder.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { useNotices } from '../../data/Notices.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { useNights } from '../../data/use-nights.ts'
import type { FieldFix } from '../../refused-field.ts'
import { FolderCard } from './FolderCard.tsx'
import { FolderDialog } from './FolderDialog.tsx'
import './folders.css'

type DialogInput = {
  readonly folder: FolderSettings | null
  readonly fix?: FieldFix
  readonly droppedPath?: string
}
type Props = { readonly fix: FieldFix | null; readonly droppedPath: string | null }

export function Folders({ fix, droppedPath }: Props) {
  const { state, saveOrThrow } = useSettings()
  const { status } = useAgent()
  const nights = useNights()
  const { attempt } = useNotices()
  const [dialogInput, setDialogInput] = useState<DialogInput | null>(null)
  const [folderToRemove, setFolderToRemove] = useState<FolderSettings | null>(null)
  const lock = useLock('folders')
  const isLocked = lock !== null
  const folderToFix = state?.settings.folders.find(({ path }) => path === fix?.folder)

  // A closed dialog returns the focus to the element that had it before. That would be a button of the previous screen,
  // which no longer exists. So focus the title before the dialog opens.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per visit, not on every settings change.
  useEffect(() => {
    const firstInput =
      droppedPath === null
        ? folderToFix && fix && { folder: folderToFix, fix }
        : { folder: null, droppedPath }
    if (firstInput == null || isLocked) return
    document.getElementById('screen-title')?.focus({ preventScroll: true })
    setDialogInput(firstInput)
  }, [])

  if (state === null) return <LoadingRows rows={4} label="Loading" />
  const { folders } = state.settings
  const add = () => setDialogInput({ folder: null })
  const remove = async (path: string) => {
    setFolderToRemove(null)
    await attempt(
      () =>
        saveOrThrow((settings) => ({
          ...settings,
          folders: settings.folders.filter((folder) => folder.path !== path),
        })),
      'The folder is no longer watched.',
    )
  }

  return (
    <Screen
      title="Folders"
      intro="Sluice uploads every finished file and does not change it. Each folder has its own rules."
      actions={
        <Button look="primary" icon="plus" isDisabled={isLocked} onPress={add}>
          Watch another folder
        </Button>
      }
    >
      {state.problem !== null && <Banner tone="warn">{state.problem}</Banner>}
      {lock !== null && <LockNote lock={lock} />}
      {fix !== null && folderToFix === undefined && (
        <Banner tone="warn">
          {fix.folder} is no longer watched. Watch it again to correct its settings.
        </Banner>
      )}
      {folders.length === 0 ? (
        <Placeholder
          icon="folder"
          title="No folder is watched"
          text="Choose the folder that the recorder writes to, or drop it on this window."
          {...(isLocked ? {} : { action: <Button onPress={add}>Watch a folder</Button> })}
        />
      ) : (
        <ul className="folder-cards">
          {folders.map((folder) => (
            <li key={folder.path}>
              <FolderCard
                folder={folder}
                status={status?.folders.find(({ path }) => path === folder.path) ?? null}
                isLocked={isLocked}
                nights={nights?.folders.find(({ path }) => path === folder.path)?.nights ?? []}
                onEdit={() => setDialogInput({ folder })}
                onRemove={() => setFolderToRemove(folder)}
              />
            </li>
          ))}
        </ul>
      )}
      {dialogInput !== null && (
        <FolderDialog
          folder={dialogInput.folder}
          droppedPath={dialogInput.droppedPath}
          fix={dialogInput.fix ?? null}
          onClose={() => setDialogInput(null)}
        />
      )}
      <Dialog
        isOpen={folderToRemove !== null}
        onClose={() => setFolderToRemove(null)}
        role="alertdialog"
        title="Stop watching this folder?"
        actions={
          <>
            <Button onPress={() => setFolderToRemove(null)}>Cancel</Button>
            <Button look="danger" onPress={() => folderToRemove !== null && void remove(folderToRemove.path)}>
              Stop watching
            </Button>
          </>
        }
      >
        <p>
          <code>{folderToRemove?.path}</code>
        </p>
        <p>
          Sluice finishes the uploads that have started, and uploads nothing else from this folder. The
          folder’s recordings stay in the list, and no file changes.
        </p>
      </Dialog>
    </Screen>
  )
}
