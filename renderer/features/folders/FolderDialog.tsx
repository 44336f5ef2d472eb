import { useEffect, useState } from 'react'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { type FolderSettings, settingsSchema } from '../../../shared/settings/settings.ts'
import { temporaryFiles } from '../../../shared/settings/take-layouts.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { Switch, TextField } from '../../components/Fields.tsx'
import { useFolderDrop } from '../../components/FolderDrop.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { useForm } from '../../data/use-form.ts'
import type { FieldFix, RefusedField } from '../../refused-field.ts'
import { AfterUploadField } from './AfterUploadField.tsx'
import { readAfterUpload } from './after-upload-draft.ts'
import { DeletionConsent } from './DeletionConsent.tsx'
import { DeviationField } from './DeviationField.tsx'
import { ExpectationField } from './ExpectationField.tsx'
import { FolderField } from './FolderField.tsx'
import {
  draftOf,
  type FolderDraft,
  newFolder,
  readFolder,
  suggestSite,
  withFolder,
  withPatterns,
} from './folder-draft.ts'
import { SilenceField } from './SilenceField.tsx'
import { SiteField } from './SiteField.tsx'
import { TakeField } from './TakeField.tsx'
import { isFolderUsable, useFolderCheck } from './use-folder-check.ts'

const folderSchema = settingsSchema.shape.folders.unwrap().element

const draftKeys = {
  site: 'site',
  device: 'device',
  notes: 'notes',
  part_size: 'partSizeMb',
} as const satisfies Record<RefusedField, keyof FolderDraft>

type Props = {
  /** Null to add a folder. */
  readonly folder: FolderSettings | null
  /** The path of a folder that was dropped on the window. */
  readonly droppedPath?: string | undefined
  /** The field to correct. Null if the dialog opens for another reason. */
  readonly fix: FieldFix | null
  readonly onClose: () => void
}

export function FolderDialog({ folder, droppedPath, fix, onClose }: Props) {
  const { state } = useSettings()
  const watchedFolders = state?.settings.folders ?? []
  const storedDraft = folder === null ? newFolder : draftOf(folder)
  const form = useForm({
    stored: storedDraft,
    isDialog: true,
    schema: folderSchema,
    section: `folders.${folder === null ? watchedFolders.length : watchedFolders.findIndex(({ path }) => path === folder.path)}`,
    read: (draft) => readFolder(draft, folder),
    put: (settings, value) => ({ ...settings, folders: withFolder(settings, folder?.path ?? null, value) }),
  })
  const { draft, change, errorAt } = form
  // The check would refuse an unchanged path as already watched.
  const isPathChanged = folder === null || draft.path.trim() !== folder.path
  const pathError = draft.path.trim() === '' ? null : errorAt('path')
  const check = useFolderCheck(isPathChanged && pathError === null ? draft.path : '')
  /** The service refused the stored value, so the error disappears when the user types a different value. */
  const refusalAt = (field: RefusedField): string | null =>
    fix?.field === field && draft[draftKeys[field]] === storedDraft[draftKeys[field]] ? fix.sentence : null
  /** A suggested site changes with the path. A site that the user typed stays. */
  const changePath = (path: string) => {
    const isSuggested = folder === null && draft.site === suggestSite(watchedFolders, draft.path.trim())
    change(isSuggested ? { path, site: suggestSite(watchedFolders, path.trim()) } : { path })
  }
  useFolderDrop(changePath, { isInDialog: true })
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, as if the path were typed.
  useEffect(() => {
    if (droppedPath !== undefined) changePath(droppedPath)
  }, [])
  const matchesNothing = draft.include.trim() === ''

  // The focus scrolls only the input into view, without the error below it. So scroll to the whole field.
  useEffect(() => {
    if (fix === null) return
    const frame = requestAnimationFrame(() =>
      document.activeElement?.closest('.field')?.scrollIntoView({ block: 'center' }),
    )
    return () => cancelAnimationFrame(frame)
  }, [fix])

  const [isAskingConsent, setAskingConsent] = useState(false)
  const submit = async () => {
    if (await form.submit()) onClose()
  }
  /** Any change to a deletion rule needs new consent, and so does a change of the folder's path. */
  const isNewDeletion =
    draft.afterUpload.action === 'delete' &&
    (isPathChanged || JSON.stringify(draft.afterUpload) !== JSON.stringify(storedDraft.afterUpload))
  const save = async () => (isNewDeletion ? setAskingConsent(true) : submit())

  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={folder === null ? 'Watch another folder' : 'Change a watched folder'}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={form.isSaving}
            isDisabled={
              !form.isValid || !form.isDirty || matchesNothing || (isPathChanged && !isFolderUsable(check))
            }
            onPress={() => void save()}
          >
            {folder === null ? 'Watch this folder' : 'Save'}
          </Button>
        </>
      }
    >
      <FolderField
        value={draft.path}
        onChange={changePath}
        check={check}
        error={pathError ?? (fix?.field === 'path' && !isPathChanged ? fix.sentence : null)}
        autoFocus={fix === null || fix.field === 'path'}
      />
      <div className="field-pair">
        <SiteField
          help="Use exactly the same name as other stations here."
          value={draft.site}
          storedSite={folder?.site ?? ''}
          onChange={(value) => change({ site: value })}
          error={(form.isDirty ? errorAt('site') : null) ?? refusalAt('site')}
          autoFocus={fix?.field === 'site'}
        />
        <TextField
          label={`${settingNames['folders.device']} (optional)`}
          help="The service selects the stored calibration by this name."
          value={draft.device}
          onChange={(device) => change({ device })}
          error={errorAt('device') ?? refusalAt('device')}
          autoFocus={fix?.field === 'device'}
        />
      </div>
      <Switch
        label={settingNames['folders.ignore_existing']}
        help="Upload only new files."
        isSelected={draft.ignoreExisting}
        onChange={(ignoreExisting) => change({ ignoreExisting })}
      />
      <Switch
        label={settingNames['folders.recursive']}
        isSelected={draft.recursive}
        isDisabled={draft.take === 'folder'}
        onChange={(recursive) => change({ recursive })}
      />
      <TakeField
        value={draft.take}
        onChange={(take) => change(take === 'folder' ? { take, recursive: true } : { take })}
        onAccept={(layout) =>
          change({
            take: 'folder',
            recursive: true,
            exclude: withPatterns(draft.exclude, temporaryFiles[layout]),
          })
        }
        check={check}
        error={errorAt('take')}
      />
      <SilenceField value={draft.silence} onChange={(silence) => change({ silence })} />
      <DeviationField value={draft.onDeviation} onChange={(onDeviation) => change({ onDeviation })} />
      <ExpectationField
        folder={folder?.path ?? null}
        draft={draft.expectation}
        onChange={(expectation) => change({ expectation })}
        errorAt={errorAt}
      />
      <AfterUploadField
        folder={draft.path.trim()}
        draft={draft.afterUpload}
        onChange={(part) => change({ afterUpload: { ...draft.afterUpload, ...part } })}
        errorAt={(field) => errorAt(`after_upload.${field}`)}
      />
      <details className="more" open={fix?.field === 'notes' || fix?.field === 'part_size'}>
        <summary>Files and parts</summary>
        <div className="stack">
          <TextField
            label={settingNames['folders.include']}
            help="Patterns, separated by commas."
            value={draft.include}
            onChange={(include) => change({ include })}
            error={
              matchesNothing ? 'Without a pattern, no files match. Use **/* for all.' : errorAt('include')
            }
          />
          <TextField
            label={settingNames['folders.exclude']}
            value={draft.exclude}
            onChange={(exclude) => change({ exclude })}
            error={errorAt('exclude')}
          />
          <div className="field-pair">
            <TextField
              label={settingNames['folders.settle_seconds']}
              unit="seconds"
              inputMode="decimal"
              value={draft.settleSeconds}
              onChange={(settleSeconds) => change({ settleSeconds })}
              error={errorAt('settle_seconds')}
            />
            <TextField
              label={settingNames['folders.marker_suffix']}
              placeholder="For example .done"
              value={draft.markerSuffix}
              onChange={(markerSuffix) => change({ markerSuffix })}
              error={errorAt('marker_suffix')}
            />
          </div>
          <TextField
            label={settingNames['folders.notes']}
            lines={2}
            value={draft.notes}
            onChange={(notes) => change({ notes })}
            error={errorAt('notes') ?? refusalAt('notes')}
            autoFocus={fix?.field === 'notes'}
          />
          <TextField
            label={settingNames['folders.part_size_bytes']}
            width="short"
            unit="MB"
            placeholder="67"
            inputMode="decimal"
            help="From 8 to 512. Default: automatic."
            value={draft.partSizeMb}
            onChange={(partSizeMb) => change({ partSizeMb })}
            error={
              errorAt('part_size_bytes') === null ? refusalAt('part_size') : 'Use a number from 8 to 512.'
            }
            autoFocus={fix?.field === 'part_size'}
          />
        </div>
      </details>
      {form.failure !== null && <Banner tone="bad">{form.failure}</Banner>}
      {isAskingConsent && (
        <DeletionConsent
          folders={[{ path: draft.path.trim(), policy: readAfterUpload(draft.afterUpload) }]}
          onClose={() => setAskingConsent(false)}
          onConfirm={submit}
        />
      )}
    </Dialog>
  )
}
