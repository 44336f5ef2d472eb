import { useState } from 'react'
import type { SecretStorage } from '../../../shared/ipc/ipc.ts'
import type { MonitoringSecretName } from '../../../shared/settings/monitoring-secrets.ts'
import { newMonitoringSecret } from '../../../shared/settings/monitoring-settings.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Switch, TextField } from '../../components/Fields.tsx'
import { ask } from '../../data/ask.ts'
import { issuesByPath } from '../../data/field-issues.ts'
import { useNotices } from '../../data/Notices.tsx'

type Props = {
  readonly which: MonitoringSecretName
  readonly label: string
  /** The word for the secret in buttons and sentences: "URL" or "token". */
  readonly noun: string
  readonly placeholder: string
  readonly help: string
  /** A sentence about the stored secret. Null if no secret is stored. */
  readonly storedSentence: string | null
  readonly storage: SecretStorage | null
  readonly onChanged: () => void
}

/** Never shows a stored secret again: with it, anyone could post for this station or read its metrics. */
export function SecretField(props: Props) {
  const { which, label, noun, placeholder, help, storedSentence, storage, onChanged } = props
  const { attempt } = useNotices()
  const [value, setValue] = useState('')
  const [isAccepted, setAccepted] = useState(false)
  const input = { which, value, acceptUnprotected: isAccepted }
  const error = value.trim() === '' ? null : (issuesByPath(newMonitoringSecret, input).get('value') ?? null)
  const needsConsent = storage?.available === true && !storage.protects && value.trim() !== ''

  const save = async () => {
    const isSaved = await attempt(() => ask('saveMonitoringSecret', input), `The ${noun} is saved.`)
    if (!isSaved) return
    setValue('')
    onChanged()
  }
  const remove = async () => {
    await attempt(() => ask('forgetMonitoringSecret', { which }), `The ${noun} is removed.`)
    onChanged()
  }

  return (
    <>
      <TextField
        label={storedSentence === null ? label : `Replace the ${noun}`}
        type={which === 'token' ? 'password' : 'url'}
        placeholder={placeholder}
        help={
          storedSentence === null
            ? help
            : `${storedSentence} ${noun === 'URL' ? 'The full URL' : `The ${noun}`} is not shown again.`
        }
        value={value}
        onChange={setValue}
        error={error}
      />
      {needsConsent && (
        <Banner tone="warn">
          <p>This PC has no keychain, so other programs could read the {noun}.</p>
          <Switch label={`Save the ${noun} anyway`} isSelected={isAccepted} onChange={setAccepted} />
        </Banner>
      )}
      <div className="row">
        <Button
          isDisabled={value.trim() === '' || error !== null || (needsConsent && !isAccepted)}
          onPress={() => void save()}
        >
          Save {noun}
        </Button>
        {storedSentence !== null && (
          <Button look="quiet" onPress={() => void remove()}>
            Remove {noun}
          </Button>
        )}
      </div>
    </>
  )
}
