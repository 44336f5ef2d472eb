import type { SecretStorage } from '../../../shared/ipc/ipc.ts'
import { Banner } from '../../components/Banner.tsx'
import { Switch, TextField } from '../../components/Fields.tsx'
import { KeyVerdictLine } from './KeyVerdictLine.tsx'
import { isTestKey, type KeyCheck } from './use-key-check.ts'

type Props = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly check: KeyCheck
  readonly storage: SecretStorage | null
  readonly acceptUnprotected: boolean
  readonly onAcceptUnprotected: (accept: boolean) => void
  readonly acceptTestKey: boolean
  readonly onAcceptTestKey: (accept: boolean) => void
}

/** A field for a key, with the result of the key test. */
export function KeyField(props: Props) {
  const {
    label,
    value,
    onChange,
    check,
    storage,
    acceptUnprotected,
    onAcceptUnprotected,
    acceptTestKey,
    onAcceptTestKey,
  } = props
  return (
    <>
      <TextField
        type="password"
        label={label}
        placeholder="svc_live_… or svc_test_…"
        help="Spaces and line breaks are removed."
        value={value}
        onChange={onChange}
        onPaste={(text) => onChange(text.replace(/\s+/g, ''))}
        error={check.phase === 'malformed' ? check.sentence : null}
      />
      <KeyVerdictLine check={check} />
      {isTestKey(check) && (
        <Switch label="Use this test key anyway" isSelected={acceptTestKey} onChange={onAcceptTestKey} />
      )}
      {storage !== null && !storage.available && (
        <Banner tone="warn">This PC has no keychain. Enter the key again after each start of Sluice.</Banner>
      )}
      {storage?.available === true && !storage.protects && (
        <Banner tone="warn">
          <p>
            This PC has no keychain, so other programs could read the key. GNOME Keyring or KWallet would
            protect it.
          </p>
          <Switch label="Save the key anyway" isSelected={acceptUnprotected} onChange={onAcceptUnprotected} />
        </Banner>
      )}
    </>
  )
}
