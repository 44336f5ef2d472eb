import type { CallResult, SecretStorage } from '../../../shared/ipc/ipc.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { CopyValue } from '../../components/CopyValue.tsx'
import { Dialog } from '../../components/Dialog.tsx'

export type NewWebhookSecret = CallResult<'registerWebhook'>

const placeWords = (storage: SecretStorage | null): string => {
  if (storage?.available !== true) return 'keeps it only in memory'
  return storage.protects ? 'keeps it in this PC’s keychain' : 'stores it unencrypted'
}

type Props = {
  readonly newSecret: NewWebhookSecret | null
  readonly storage: SecretStorage | null
  /** Whether this PC receives events. */
  readonly isReceiving: boolean
  readonly onClose: () => void
}

/** Shows the secret only once. Closing the dialog removes it from the page. */
export function SecretDialog({ newSecret, storage, isReceiving, onClose }: Props) {
  return (
    <Dialog
      isOpen={newSecret !== null}
      onClose={onClose}
      title="The endpoint is registered"
      actions={
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
      }
    >
      <p>
        This is the endpoint’s secret. Sluice {placeWords(storage)} and verifies events with it{' '}
        {isReceiving ? 'from now on' : 'once “Receive events on this PC” is on'}. If another program verifies
        the events too, copy the secret now. It is not shown again.
      </p>
      <p className="secret">
        {newSecret !== null && <CopyValue name="the secret" value={newSecret.secret} />}
      </p>
      {newSecret?.trouble != null && (
        <Banner tone="warn">{newSecret.trouble} The secret works until Sluice closes. Copy it now.</Banner>
      )}
    </Dialog>
  )
}
