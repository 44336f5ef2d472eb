import { Card } from '../../components/Card.tsx'
import { type Choice, Radios } from '../../components/Choices.tsx'
import { Switch } from '../../components/Fields.tsx'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useAppSetting } from '../../data/use-app-setting.ts'
import type { Theme } from '../../data/use-theme.ts'
import { AtLogin } from './AtLogin.tsx'
import { QuietHours } from './QuietHours.tsx'

const themes: readonly Choice<Theme>[] = [
  { id: 'system', word: 'As the system', help: 'Changes with the system’s own setting.' },
  { id: 'light', word: 'Light' },
  { id: 'dark', word: 'Dark', help: 'For rooms where a bright screen disturbs.' },
]

export function Appearance() {
  const { app, set } = useAppSetting()
  return (
    <Screen title="Appearance" intro="How Sluice looks, and when it speaks up. Every change holds at once.">
      {app === null ? (
        <LoadingRows rows={5} label="Settings are loading" />
      ) : (
        <div className="form">
          <Card title="Theme">
            <Radios label="Theme" choices={themes} value={app.theme} onChange={(theme) => set({ theme })} />
          </Card>
          <Card title="Notifications">
            <Switch
              label="When something needs you"
              help="Once for each problem, however many recordings have it."
              isSelected={app.notify_attention}
              onChange={(notify_attention) => set({ notify_attention })}
            />
            <Switch
              label="When the night’s recordings are done"
              isSelected={app.notify_overnight_done}
              onChange={(notify_overnight_done) => set({ notify_overnight_done })}
            />
            <QuietHours hours={app.quiet_hours ?? null} onChange={(quiet_hours) => set({ quiet_hours })} />
          </Card>
          <AtLogin on={app.start_at_login} set={(start_at_login) => set({ start_at_login })} />
        </div>
      )}
    </Screen>
  )
}
