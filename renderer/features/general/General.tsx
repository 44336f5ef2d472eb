import { settingNames } from '../../../shared/settings/setting-names.ts'
import { Card } from '../../components/Card.tsx'
import { type Choice, Radios } from '../../components/Choices.tsx'
import { Switch } from '../../components/Fields.tsx'
import { Managed } from '../../components/Managed.tsx'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { useAppSetting } from '../../data/use-app-setting.ts'
import type { Theme } from '../../data/use-theme.ts'
import { QuietHours } from './QuietHours.tsx'
import { StartAtLoginCard } from './StartAtLoginCard.tsx'
import { StationName } from './StationName.tsx'
import { UpdatesCard } from './UpdatesCard.tsx'

const themes: readonly Choice<Theme>[] = [
  { id: 'system', word: 'Same as the system', help: 'Follows the system setting.' },
  { id: 'light', word: 'Light' },
  { id: 'dark', word: 'Dark', help: 'For dark rooms.' },
]

export function General() {
  const { app, set } = useAppSetting()
  const { status } = useAgent()
  return (
    <Screen title="General" intro="Theme, station name, notifications, start at login and updates.">
      {app === null ? (
        <LoadingRows rows={5} label="Loading" />
      ) : (
        <div className="form">
          <Card title="Theme">
            <Managed path="app.theme">
              <Radios
                label={settingNames['app.theme']}
                choices={themes}
                value={app.theme}
                onChange={(theme) => set({ theme })}
              />
            </Managed>
          </Card>
          <Card title="Station">
            <Managed path="app.station_name">
              <StationName
                key={app.station_name ?? ''}
                name={app.station_name ?? null}
                currentName={status?.station.name ?? ''}
                onChange={(station_name) => set({ station_name })}
              />
            </Managed>
          </Card>
          <Card title="Notifications">
            <Managed path="app.notify_attention">
              <Switch
                label="When something needs attention"
                help="Once per problem."
                isSelected={app.notify_attention}
                onChange={(notify_attention) => set({ notify_attention })}
              />
            </Managed>
            <Managed path="app.notify_overnight_done">
              <Switch
                label="When the night’s recordings are done"
                isSelected={app.notify_overnight_done}
                onChange={(notify_overnight_done) => set({ notify_overnight_done })}
              />
            </Managed>
            <Managed path="app.sound_on_deviation">
              <Switch
                label={settingNames['app.sound_on_deviation']}
                help="Plays the alert sound of the system, once per recording."
                isSelected={app.sound_on_deviation}
                onChange={(sound_on_deviation) => set({ sound_on_deviation })}
              />
            </Managed>
            <Managed path="app.quiet_hours">
              <QuietHours hours={app.quiet_hours ?? null} onChange={(quiet_hours) => set({ quiet_hours })} />
            </Managed>
          </Card>
          <StartAtLoginCard
            isOn={app.start_at_login}
            onChange={(start_at_login) => set({ start_at_login })}
          />
          <UpdatesCard />
        </div>
      )}
    </Screen>
  )
}
