import { useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { Icon, type IconName } from '../../components/Icon.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { checkStation, type Finding } from './station-check.ts'

const icons: Readonly<Record<Finding['tone'], { readonly icon: IconName; readonly word: string }>> = {
  good: { icon: 'check-circle', word: 'Good' },
  warn: { icon: 'triangle', word: 'Worth a look' },
  bad: { icon: 'octagon', word: 'Wrong' },
}

export function StationCheckCard() {
  const { status } = useAgent()
  const { state } = useSettings()
  const [findings, setFindings] = useState<readonly Finding[] | null>(null)
  const [busy, setBusy] = useState(false)

  const run = async () => {
    if (state === null) return
    setBusy(true)
    setFindings(await checkStation(state.settings, status))
    setBusy(false)
  }

  return (
    <Card
      title="Station check"
      aside={
        <Button size="small" busy={busy} onPress={() => void run()}>
          {findings === null ? 'Check now' : 'Check again'}
        </Button>
      }
    >
      <div role="status">
        {findings === null ? (
          <p className="quiet">
            Looks at service, key, clock, keychain and every folder. Takes a few seconds.
          </p>
        ) : (
          <ul className="findings">
            {findings.map((finding) => (
              <li key={finding.subject} className="finding">
                <span className={`tone-${finding.tone}`}>
                  <Icon name={icons[finding.tone].icon} />
                  <span className="visually-hidden">{icons[finding.tone].word}: </span>
                </span>
                <span>
                  <strong>{finding.subject}</strong> <span className="quiet">{finding.sentence}</span>
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}
