import { useState } from 'react'
import type { SecretStorage } from '../../../shared/ipc/ipc.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { Icon } from '../../components/Icon.tsx'
import { LockNote, OwnerOnly } from '../../components/Managed.tsx'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { type Loaded, useLoad } from '../../data/use-load.ts'
import { hasKeyFor, missingKeyNote } from './address.ts'
import { KeyField } from './KeyField.tsx'
import { KeyVerdictLine } from './KeyVerdictLine.tsx'
import { isTestKey, mayStore, useKeyCheck } from './use-key-check.ts'

const placeWords = (storage: SecretStorage): string => {
  if (!storage.available) return 'in memory until Sluice closes'
  return storage.protects ? 'in this PC’s keychain' : 'not encrypted'
}

const externalKeyWords: Readonly<Record<NonNullable<SecretStorage['externalKeySource']>, string>> = {
  managed: 'This station uses the key from its managed settings.',
  file: 'This station uses the key in service.api_key_file.',
  environment: 'This station uses the key in SLUICE_API_KEY.',
}

type Props = { readonly baseUrl: string; readonly storage: Loaded<SecretStorage> }

/** Shows and changes the key of the saved address, even while the user types another address. */
export function KeyCard({ baseUrl, storage }: Props) {
  const { attempt } = useNotices()
  const [key, setKey] = useState('')
  const [isUnprotectedAccepted, setUnprotectedAccepted] = useState(false)
  const [isTestKeyAccepted, setTestKeyAccepted] = useState(false)
  const [isAskingToForget, setAskingToForget] = useState(false)
  const [testCount, setTestCount] = useState(0)
  const check = useKeyCheck(baseUrl, key)
  const storedKeyTest = useLoad(testCount === 0 ? null : `test ${testCount}`, () =>
    ask('testKey', { baseUrl }),
  )

  if (storage.data === null)
    return (
      <Card title="Key">
        {storage.error === null ? (
          <LoadingRows rows={2} label="Loading" />
        ) : (
          <Banner tone="bad">{storage.error}</Banner>
        )}
      </Card>
    )

  const { addressesWithKey, available, protects, externalKeySource } = storage.data
  const hasKey = hasKeyFor(storage.data, baseUrl)
  if (externalKeySource !== undefined)
    return (
      <Card title="Key">
        <p className={hasKey ? 'stored-key' : 'field-error'}>
          {hasKey ? externalKeyWords[externalKeySource] : 'The key cannot be read. See Overview.'}
        </p>
        {externalKeySource === 'managed' && <LockNote lock="managed" />}
      </Card>
    )
  const saveKey = async () => {
    const isSaved = await attempt(
      () => ask('saveKey', { baseUrl, apiKey: key, acceptUnprotected: isUnprotectedAccepted }),
      'The key is saved.',
    )
    if (!isSaved) return
    setKey('')
    setTestKeyAccepted(false)
    setTestCount(0)
    storage.reload()
  }
  const forget = async () => {
    setAskingToForget(false)
    await attempt(() => ask('forgetKey'), 'The key is removed from this PC.')
    setTestCount(0)
    storage.reload()
  }

  const removeButton = (
    <Button look="quiet" onPress={() => setAskingToForget(true)}>
      Remove key…
    </Button>
  )

  return (
    <Card title="Key">
      <OwnerOnly>
        {hasKey ? (
          <>
            <p className="stored-key">
              <span className="tone-quiet">
                <Icon name="key" />
              </span>
              <span>
                A key is stored for {baseUrl}, {placeWords(storage.data)}. It is never shown again.
              </span>
            </p>
            <div className="row">
              <Button busy={storedKeyTest.isLoading} onPress={() => setTestCount((count) => count + 1)}>
                Test key
              </Button>
              {removeButton}
            </div>
            {testCount > 0 && storedKeyTest.data !== null && !storedKeyTest.isLoading && (
              <KeyVerdictLine check={{ phase: 'answered', verdict: storedKeyTest.data }} />
            )}
            {testCount > 0 && storedKeyTest.error !== null && (
              <Banner tone="bad">{storedKeyTest.error}</Banner>
            )}
          </>
        ) : (
          <Banner tone="warn" action={addressesWithKey.length > 0 && removeButton}>
            {missingKeyNote(storage.data, baseUrl) ?? 'No key is stored.'} Recordings are queued until you add
            a key.
          </Banner>
        )}
        <KeyField
          label={hasKey ? 'New key' : 'Key'}
          value={key}
          onChange={setKey}
          check={check}
          storage={storage.data}
          acceptUnprotected={isUnprotectedAccepted}
          onAcceptUnprotected={setUnprotectedAccepted}
          acceptTestKey={isTestKeyAccepted}
          onAcceptTestKey={setTestKeyAccepted}
        />
        <div className="row">
          <Button
            look="primary"
            isDisabled={
              baseUrl === '' ||
              !mayStore(check) ||
              (available && !protects && !isUnprotectedAccepted) ||
              (isTestKey(check) && !isTestKeyAccepted)
            }
            onPress={() => void saveKey()}
          >
            Save key
          </Button>
        </div>
      </OwnerOnly>
      <Dialog
        isOpen={isAskingToForget}
        onClose={() => setAskingToForget(false)}
        role="alertdialog"
        title="Remove the key from this PC?"
        actions={
          <>
            <Button onPress={() => setAskingToForget(false)}>Cancel</Button>
            <Button look="danger" onPress={() => void forget()}>
              Remove key
            </Button>
          </>
        }
      >
        <p>Uploads stop. Recordings are queued until you add a key.</p>
      </Dialog>
    </Card>
  )
}
