import { useState } from 'react'
import type { SettingsFilePreview } from '../../../shared/ipc/settings-file-preview.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { ImportDialog } from './ImportDialog.tsx'

/** Exports and imports the settings. */
export function SettingsFileCard() {
  const { done, failed } = useNotices()
  const [reading, setReading] = useState<SettingsFilePreview | null>(null)

  const exportAll = async () => {
    try {
      const saved = await ask('exportSettings')
      if (saved !== null) done(`Saved as ${saved.path}. It does not contain the key.`)
    } catch (error) {
      failed(error)
    }
  }
  const read = async () => {
    try {
      setReading(await ask('readSettingsFile'))
    } catch (error) {
      failed(error)
    }
  }

  return (
    <Card title="Settings as a file">
      <p className="quiet">
        All settings of this station without the key, as a backup or for another station. An import shows all
        changes first and keeps the key.
      </p>
      <div className="row">
        <Button onPress={() => void exportAll()}>Export settings…</Button>
        <Button onPress={() => void read()}>Import settings…</Button>
      </div>
      {reading !== null && <ImportDialog reading={reading} onClose={() => setReading(null)} />}
    </Card>
  )
}
