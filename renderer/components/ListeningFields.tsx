import { parseTypedNumber } from '../data/field-issues.ts'
import { Switch, TextField } from './Fields.tsx'

export type ListeningDraft = { readonly isOn: boolean; readonly address: string; readonly port: string }

export const toListeningDraft = (
  stored: { readonly address: string; readonly port: number } | undefined,
  defaultPort: string,
): ListeningDraft =>
  stored === undefined
    ? { isOn: false, address: '127.0.0.1', port: defaultPort }
    : { isOn: true, address: stored.address, port: String(stored.port) }

export const readListening = ({ address, port }: ListeningDraft) => ({
  address: address.trim(),
  port: parseTypedNumber(port),
})

type Props = {
  readonly label: string
  readonly help: string
  readonly addressHelp: string
  readonly draft: ListeningDraft
  readonly change: (part: Partial<ListeningDraft>) => void
  readonly errorAt: (field: 'address' | 'port') => string | null
}

/** A switch, an address and a port to listen at. */
export function ListeningFields({ label, help, addressHelp, draft, change, errorAt }: Props) {
  return (
    <>
      <Switch label={label} help={help} isSelected={draft.isOn} onChange={(isOn) => change({ isOn })} />
      {draft.isOn && (
        <div className="field-pair">
          <TextField
            label="Listen at this address"
            placeholder="127.0.0.1"
            help={addressHelp}
            value={draft.address}
            onChange={(address) => change({ address })}
            error={errorAt('address')}
          />
          <TextField
            label="Port"
            inputMode="numeric"
            value={draft.port}
            onChange={(port) => change({ port })}
            error={errorAt('port')}
          />
        </div>
      )}
    </>
  )
}
