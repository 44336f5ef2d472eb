import { useState } from 'react'
import { systemWords } from '../../../shared/ipc/system.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { CopyValue } from '../../components/CopyValue.tsx'
import { Facts } from '../../components/Facts.tsx'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useLoad } from '../../data/use-load.ts'
import { LicencesDialog } from './LicencesDialog.tsx'

type FolderProps = { readonly name: string; readonly path: string; readonly which: 'data' | 'logs' }

function FolderValue({ name, path, which }: FolderProps) {
  const { showError } = useNotices()
  return (
    <span className="about-folder">
      <CopyValue name={name} value={path} />
      <Button
        look="quiet"
        size="small"
        icon="external"
        label={`Open the ${name}`}
        onPress={() => void ask('openFolder', { which }).catch(showError)}
      />
    </span>
  )
}

const agentWords = (restarts: number): string => {
  if (restarts === 0) return 'Not restarted since Sluice started'
  return `Restarted ${restarts === 1 ? 'once' : `${restarts} times`} since Sluice started`
}

export function AboutCard() {
  const { health } = useAgent()
  const [isShowingLicences, setShowingLicences] = useState(false)
  const { data, error } = useLoad('app', () => ask('getAppInfo'))
  return (
    <Card title="About Sluice">
      {error !== null && <Banner tone="bad">{error}</Banner>}
      {data === null && error === null && <LoadingRows rows={4} label="Loading" />}
      {data !== null && (
        <Facts
          facts={[
            { name: 'Version', value: data.version },
            { name: 'Electron', value: `${data.electron} (Node ${data.node})` },
            { name: 'System', value: data.platform },
            { name: 'Upload agent', value: health.trouble ?? agentWords(health.restarts) },
            {
              name: 'Tray icon',
              value: data.hasTray
                ? `In the ${systemWords[data.system].tray}. Sluice keeps running when you close the window`
                : 'None: this desktop has no tray. Sluice keeps running when you close the window. To reopen the window, start Sluice again',
            },
            {
              name: 'Data folder',
              value: <FolderValue name="data folder" path={data.dataFolder} which="data" />,
            },
            {
              name: 'Log folder',
              value: <FolderValue name="log folder" path={data.logFolder} which="logs" />,
            },
            { name: 'Settings file', value: <CopyValue name="settings file" value={data.settingsFile} /> },
            {
              name: 'Licences',
              value: (
                <span className="about-licences">
                  <Button look="quiet" size="small" onPress={() => setShowingLicences(true)}>
                    Show third-party licences
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {isShowingLicences && <LicencesDialog onClose={() => setShowingLicences(false)} />}
    </Card>
  )
}
