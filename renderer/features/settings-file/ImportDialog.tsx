import { useState } from 'react'
import type { SettingsFilePreview } from '../../../shared/ipc/settings-file-preview.ts'
import { type Section, sections, settingNames } from '../../../shared/settings/setting-names.ts'
import type { DraftSettings } from '../../../shared/settings/settings.ts'
import { placeInWords } from '../../../shared/settings/settings-words.ts'
import { plural } from '../../../shared/words/format.ts'
import { asSentence } from '../../../shared/words/issue-sentence.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { useNotices } from '../../data/Notices.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { sentenceOf } from '../../data/shown-error.ts'
import { DeletionConsent } from '../folders/DeletionConsent.tsx'
import { type ChangeRow, changeRows } from './change-rows.ts'
import './settings-file.css'

type Props = { readonly preview: SettingsFilePreview; readonly onClose: () => void }

/** Shows the changes of a settings file. Changes nothing before the user presses "Apply". */
export function ImportDialog({ preview, onClose }: Props) {
  return preview.kind === 'refused' ? (
    <RefusedFile preview={preview} onClose={onClose} />
  ) : (
    <Preview preview={preview} onClose={onClose} />
  )
}

function RefusedFile({
  preview,
  onClose,
}: Props & { readonly preview: Extract<SettingsFilePreview, { kind: 'refused' }> }) {
  return (
    <Dialog
      isOpen
      isWide
      isTextOnly
      onClose={onClose}
      title="These settings cannot be used"
      actions={
        <Button look="primary" onPress={onClose}>
          Close
        </Button>
      }
    >
      <p>
        <b>{preview.name}</b> has {plural(preview.faults.length, 'error')}. Nothing was changed.
      </p>
      <ul className="import-faults">
        {preview.faults.map(({ line, sentence }) => (
          <li key={`${line} ${sentence}`}>
            {line !== null && <span className="import-line">Line {line}</span>}
            <span>{sentence}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

const kindWords: Readonly<Record<ChangeRow['kind'], string>> = {
  added: 'Added',
  changed: 'Changed',
  removed: 'Removed',
}

function Change({ change }: { readonly change: ChangeRow }) {
  const { kind, folder, field, before, after } = change
  return (
    <li className="import-change">
      <span className="import-kind">{kindWords[kind]}</span>
      <div className="import-what">
        <span>
          {folder !== null && <span className="quiet">{folder} · </span>}
          {field}
        </span>
        <span className="quiet small">
          {before !== null && (
            <>
              <span className="visually-hidden">from </span>
              <del className={kind === 'changed' ? 'import-before' : ''}>{before}</del>
            </>
          )}
          {before !== null && after !== null && <span aria-hidden="true"> → </span>}
          {after !== null && (
            <>
              <span className="visually-hidden"> to </span>
              <ins>{after}</ins>
            </>
          )}
        </span>
      </div>
    </li>
  )
}

/** A file without a service does not change the current service. */
const withService = (current: DraftSettings, settings: DraftSettings): DraftSettings => {
  const service = settings.service ?? current.service
  return service === undefined ? settings : { ...settings, service }
}

/** The new and changed deletion rules. They need the user's consent, as in the folder dialog. */
const newDeletions = (current: DraftSettings, next: DraftSettings) => {
  const ruleOf = ({ path, after_upload: policy }: DraftSettings['folders'][number]) => ({ path, policy })
  const currentRules = new Set(current.folders.map((folder) => JSON.stringify(ruleOf(folder))))
  return next.folders
    .map(ruleOf)
    .filter((rule) => rule.policy.action === 'delete' && !currentRules.has(JSON.stringify(rule)))
}

function Preview({
  preview,
  onClose,
}: Props & { readonly preview: Extract<SettingsFilePreview, { kind: 'readable' }> }) {
  const { state, save, drafts } = useSettings()
  const { showSuccess } = useNotices()
  const [busy, setBusy] = useState(false)
  const [isAskingConsent, setAskingConsent] = useState(false)
  const [failures, setFailures] = useState<readonly string[]>([])
  if (state === null) return null
  const current = state.settings
  const next = withService(current, preview.settings)
  const changes = changeRows(current, next)
  const deletions = newDeletions(current, next)
  const address = current.service?.base_url
  const isNewAddress = address !== undefined && next.service?.base_url !== address

  const apply = async () => {
    setBusy(true)
    setFailures([])
    try {
      const result = await save((stored) => withService(stored, preview.settings))
      if (result.ok) {
        // Drops unsaved form input, because it was based on the old settings.
        drafts.clear()
        showSuccess(`Settings imported from ${preview.name}.`)
        onClose()
        return
      }
      setFailures(
        result.issues.map(({ path, message }) => `${placeInWords(path.split('.'))}: ${asSentence(message)}`),
      )
    } catch (error) {
      setFailures([sentenceOf(error)])
    } finally {
      setBusy(false)
    }
  }

  const renderSection = (section: Section) => {
    const sectionChanges = changes.filter((change) => change.section === section)
    if (sectionChanges.length === 0) return null
    return (
      <section key={section} className="import-section" aria-label={settingNames[section]}>
        <h3>{settingNames[section]}</h3>
        <ul>
          {sectionChanges.map((change) => (
            <Change key={`${change.folder} ${change.field}`} change={change} />
          ))}
        </ul>
      </section>
    )
  }

  return (
    <Dialog
      isOpen
      isWide
      isTextOnly
      onClose={onClose}
      title="Import these settings?"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={busy}
            isDisabled={changes.length === 0}
            onPress={() => (deletions.length > 0 ? setAskingConsent(true) : void apply())}
          >
            Apply
          </Button>
        </>
      }
    >
      <p>
        {changes.length === 0 ? (
          <>
            <b>{preview.name}</b> changes nothing.
          </>
        ) : (
          <>
            <b>{preview.name}</b> changes {plural(changes.length, 'setting')}. Nothing changes until you press
            Apply.
          </>
        )}
      </p>
      {preview.holdsMonitoringSecrets && (
        <Banner tone="quiet">The monitoring token and URLs in the file are ignored.</Banner>
      )}
      {preview.holdsProxyCredentials && (
        <Banner tone="quiet">The user name and the password of the proxy in the file are ignored.</Banner>
      )}
      {preview.holdsKey && <Banner tone="quiet">The key in the file is ignored.</Banner>}
      {isNewAddress && (
        <Banner tone="warn">{next.service?.base_url} needs its own key. Enter it after the import.</Banner>
      )}
      {sections.map(renderSection)}
      {failures.map((sentence) => (
        <Banner key={sentence} tone="bad">
          {sentence}
        </Banner>
      ))}
      {isAskingConsent && (
        <DeletionConsent folders={deletions} onClose={() => setAskingConsent(false)} onConfirm={apply} />
      )}
    </Dialog>
  )
}
