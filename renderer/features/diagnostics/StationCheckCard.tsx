import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { Icon, type IconName } from '../../components/Icon.tsx'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { useLoad } from '../../data/use-load.ts'
import { checkStation, type Finding } from './station-check.ts'

const icons: Readonly<Record<Finding['tone'], { readonly icon: IconName; readonly word: string }>> = {
  good: { icon: 'check-circle', word: 'Good' },
  warn: { icon: 'triangle', word: 'Worth a look' },
  bad: { icon: 'octagon', word: 'Wrong' },
}

/** Made when the screen is opened: whoever comes here wants to know, not to press a button first. */
export function StationCheckCard() {
  const { status } = useAgent()
  const { state } = useSettings()
  const check = useLoad(state === null ? null : `station ${status !== null}`, async () =>
    state === null ? [] : checkStation(state.settings, status),
  )
  return (
    <Card
      title="Station check"
      aside={
        <Button size="small" busy={check.busy} onPress={check.reload}>
          {check.busy ? 'Checking…' : 'Check again'}
        </Button>
      }
    >
      {check.error !== null && <Banner tone="bad">{check.error}</Banner>}
      <div role="status">
        {check.data === null ? (
          check.error === null && <LoadingRows rows={4} label="The station is being checked" />
        ) : (
          <ul className="findings">
            {check.data.map((finding) => (
              <li key={finding.subject} className="finding">
                <span className={`tone-${finding.tone}`}>
                  <Icon name={icons[finding.tone].icon} />
                  <span className="visually-hidden">{icons[finding.tone].word}: </span>
                </span>
                <strong>{finding.subject}</strong>
                <span className="finding-sentence">{finding.sentence}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}
