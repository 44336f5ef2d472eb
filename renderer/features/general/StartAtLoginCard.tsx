import { systemWords } from '../../../shared/ipc/system.ts'
import { Banner } from '../../components/Banner.tsx'
import { Card } from '../../components/Card.tsx'
import { Switch } from '../../components/Fields.tsx'
import { Managed } from '../../components/Managed.tsx'
import { ask } from '../../data/ask.ts'
import { useLoad } from '../../data/use-load.ts'

type Props = { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void }

/** The system may override this setting, so the card reads the actual state after each change. */
export function StartAtLoginCard({ isOn, onChange }: Props) {
  const { data } = useLoad(`at-login ${isOn}`, () => ask('getAppInfo'))
  const words = systemWords[data?.system ?? 'linux']
  return (
    <Card title={words.startAtLogin}>
      <Managed path="app.start_at_login">
        <Switch
          label={words.startAtLoginLong}
          help={`The icon is in the ${words.tray}; the window stays closed.`}
          isSelected={isOn}
          onChange={onChange}
        />
      </Managed>
      {isOn && data !== null && data.loginTrouble !== null && (
        <Banner tone="warn">{data.loginTrouble}</Banner>
      )}
    </Card>
  )
}
