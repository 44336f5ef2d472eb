import { settingNames } from '../../../shared/settings/setting-names.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Fields.tsx'
import { issueOf } from '../../data/field-issues.ts'
import { addressSchema, suggestAddress } from './address.ts'

type Props = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | null
  /** Shown below the field, for example if the typed address has no key yet. */
  readonly note?: string | null
  readonly autoFocus?: boolean
}

/** Shows the error in an address and suggests a correction. */
export function AddressField({ value, onChange, error = null, note = null, autoFocus = false }: Props) {
  const addressError = value.trim() === '' ? null : issueOf(addressSchema, value)
  const suggestion = addressError === null ? null : suggestAddress(value)
  return (
    <div className="stack address-field">
      <TextField
        label={settingNames['service.base_url']}
        placeholder="https://api.example.com"
        inputMode="url"
        help="From your administrator, e.g. https://…"
        value={value}
        onChange={onChange}
        autoFocus={autoFocus}
        error={addressError ?? error}
      />
      {note !== null && (
        <div role="status">
          <Banner tone="warn">{note}</Banner>
        </div>
      )}
      {suggestion !== null && (
        <div>
          <Button size="small" onPress={() => onChange(suggestion)}>{`Use ${suggestion}`}</Button>
        </div>
      )}
    </div>
  )
}
