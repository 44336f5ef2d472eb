import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { CopyValue } from '../../components/CopyValue.tsx'
import { Facts } from '../../components/Facts.tsx'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useLoad } from '../../data/use-load.ts'
import './diagnostics.css'
import { StationCheckCard } from './StationCheckCard.tsx'

export function Diagnostics() {
  const { health } = useAgent()
  const { failed } = useNotices()
  const info = useLoad('app', () => ask('getAppInfo'))
  return (
    <Screen
      title="About & diagnostics"
      intro="What to look at, and what to quote, when something is not as it should be."
    >
      <div className="form">
        <StationCheckCard />
        <Card
          title="Logs"
          aside={
            <Button size="small" icon="external" onPress={() => void ask('openLogs').catch(failed)}>
              Open the log folder
            </Button>
          }
        >
          <p className="quiet">Logs hold no keys and no signed addresses, and are kept to a bounded size.</p>
        </Card>
        <Card title="About Sluice">
          {info.error !== null && <Banner tone="bad">{info.error}</Banner>}
          {info.data === null && info.error === null && <LoadingRows rows={4} label="Loading" />}
          {info.data !== null && (
            <Facts
              facts={[
                { name: 'Version', value: info.data.version },
                { name: 'Electron', value: `${info.data.electron} (Node ${info.data.node})` },
                { name: 'System', value: info.data.platform },
                {
                  name: 'Upload agent',
                  value:
                    health.restarts === 0
                      ? 'Running since Sluice was started'
                      : `Started again ${health.restarts === 1 ? 'once' : `${health.restarts} times`} since Sluice was started`,
                },
                {
                  name: 'Tray',
                  value: info.data.hasTray
                    ? 'Shown; closing the window keeps Sluice running there'
                    : 'None on this desktop; start Sluice again to show its window',
                },
                { name: 'Data folder', value: <CopyValue name="data folder" value={info.data.dataFolder} /> },
                {
                  name: 'Settings file',
                  value: <CopyValue name="settings file" value={info.data.settingsFile} />,
                },
                { name: 'Log folder', value: <CopyValue name="log folder" value={info.data.logFolder} /> },
              ]}
            />
          )}
        </Card>
      </div>
    </Screen>
  )
}
