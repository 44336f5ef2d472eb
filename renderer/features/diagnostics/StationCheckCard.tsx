import type { SecretStorage } from '../../../shared/ipc/ipc.ts'
import { type Finding, pass, warn } from '../../../shared/ipc/station-check.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { Icon, type IconName } from '../../components/Icon.tsx'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { ask } from '../../data/ask.ts'
import { useSettings } from '../../data/SettingsView.tsx'
import { useLoad } from '../../data/use-load.ts'

const marks: Readonly<
  Record<Finding['verdict'], { readonly icon: IconName; readonly tone: string; readonly word: string }>
> = {
  pass: { icon: 'check-circle', tone: 'quiet', word: 'OK' },
  warn: { icon: 'triangle', tone: 'warn', word: 'Warning' },
  fail: { icon: 'octagon', tone: 'warn', word: 'Failed' },
  skip: { icon: 'gone', tone: 'quiet', word: 'Unknown' },
}

/**
 * The window adds this finding to those of the agent. `sluice doctor` cannot use the keychain, so it has no such
 * finding.
 */
const keychainFinding = (storage: SecretStorage): Finding => {
  const subject = 'Keychain'
  if (!storage.available) return { subject, ...warn('No keychain found. Enter the key at each start.', null) }
  return storage.protects
    ? { subject, ...pass(`The system protects the key (${storage.backend}).`) }
    : { subject, ...warn('No keychain found. The key is not encrypted.', null) }
}

/** The check runs when the screen opens, because users come here for its result. */
export function StationCheckCard() {
  const { status } = useAgent()
  const { state } = useSettings()
  const check = useLoad(state === null ? null : `station ${status !== null}`, async () => {
    const [findings, storage] = await Promise.all([ask('checkStation'), ask('getSecretStorage')])
    return [...findings, keychainFinding(storage)]
  })
  return (
    <Card
      title="Station check"
      aside={
        <Button size="small" busy={check.isLoading} onPress={check.reload}>
          {check.isLoading ? 'Checking…' : 'Check again'}
        </Button>
      }
    >
      {check.error !== null && <Banner tone="bad">{check.error}</Banner>}
      <div role="status">
        {check.data === null ? (
          check.error === null && <LoadingRows rows={4} label="Checking the station" />
        ) : (
          <ul className="findings">
            {check.data.map((finding) => (
              <li key={finding.subject} className="finding">
                <span className={`tone-${marks[finding.verdict].tone}`}>
                  <Icon name={marks[finding.verdict].icon} />
                  <span className="visually-hidden">{marks[finding.verdict].word}: </span>
                </span>
                <strong>{finding.subject}</strong>
                <span className="finding-sentence">
                  {finding.sentence}
                  {finding.next !== null && <span className="finding-next"> {finding.next}</span>}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}
