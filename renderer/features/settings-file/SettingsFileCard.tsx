import { useState } from 'react'
import type { SettingsFilePreview } from '../../../shared/ipc/settings-file-preview.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { LockNote, useIsMember } from '../../components/Managed.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { ImportDialog } from './ImportDialog.tsx'

/** Exports and imports the settings. */
export function SettingsFileCard() {
  const { showSuccess, showError } = useNotices()
  const isMember = useIsMember()
  const [preview, setPreview] = useState<SettingsFilePreview | null>(null)

  const exportAll = async () => {
    try {
      const savedFile = await ask('exportSettings')
      if (savedFile !== null) showSuccess(`Saved as ${savedFile.path}. It does not contain the key.`)
    } catch (error) {
      showError(error)
    }
  }
  const readFile = async () => {
    try {
      setPreview(await ask('readSettingsFile'))
    } catch (error) {
      showError(error)
    }
  }

  return (
    <Card title="Settings as a file">
      <p className="quiet">
        Export all settings of this station except the key, as a backup or for another station. An import
        shows all changes first and keeps the key.
      </p>
      <div className="row">
        <Button onPress={() => void exportAll()}>Export settings…</Button>
        <Button isDisabled={isMember} onPress={() => void readFile()}>
          Import settings…
        </Button>
      </div>
      {isMember && <LockNote lock="owner" />}
      {preview !== null && <ImportDialog preview={preview} onClose={() => setPreview(null)} />}
    </Card>
  )
}
