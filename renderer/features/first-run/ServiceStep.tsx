import { useState } from 'react'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { ask } from '../../data/ask.ts'
import { issueOf } from '../../data/field-issues.ts'
import { sentenceOf } from '../../data/shown-error.ts'
import { useLoad } from '../../data/use-load.ts'
import { AddressField } from '../service/AddressField.tsx'
import { addressSchema, hasKeyFor, missingKeyNote } from '../service/address.ts'
import { KeyField } from '../service/KeyField.tsx'
import { isTested, isTestKey, mayStore, useKeyCheck } from '../service/use-key-check.ts'
import { StepForm } from './StepForm.tsx'
import type { StepProps } from './setup.ts'

export function ServiceStep({ setup, change, onNext }: StepProps) {
  const storage = useLoad('storage', () => ask('getSecretStorage'))
  const check = useKeyCheck(setup.baseUrl, setup.apiKey)
  const [isStarting, setStarting] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const isAddressValid = issueOf(addressSchema, setup.baseUrl) === null
  const hasKey = hasKeyFor(storage.data, setup.baseUrl)
  const usesStoredKey = hasKey && setup.apiKey === ''
  const needsConsent = storage.data?.available === true && !storage.data.protects
  const hasConsent = (!needsConsent || setup.acceptUnprotected) && (!isTestKey(check) || setup.acceptTestKey)
  const isKeyUsable = usesStoredKey || (mayStore(check) && hasConsent)

  const trySandbox = async () => {
    setStarting(true)
    setFailure(null)
    try {
      const { baseUrl } = await ask('startSandbox')
      change({ baseUrl, apiKey: '', usesSandbox: true, isKeyTested: true })
      onNext()
    } catch (error) {
      setFailure(sentenceOf(error))
      setStarting(false)
    }
  }

  return (
    <StepForm
      title="Where do recordings go?"
      intro="The address of your service, and a key that can upload. Sluice tests both now."
      submitLabel="Continue"
      isReady={isAddressValid && isKeyUsable}
      onSubmit={() => {
        change({ isKeyTested: !usesStoredKey && isTested(check) })
        onNext()
      }}
      aside={
        <Button look="quiet" busy={isStarting} onPress={() => void trySandbox()}>
          Try the sandbox
        </Button>
      }
    >
      <AddressField
        value={setup.baseUrl}
        onChange={(baseUrl) => change({ baseUrl, usesSandbox: false })}
        note={missingKeyNote(storage.data, setup.baseUrl)}
        autoFocus
      />
      <KeyField
        label={hasKey ? 'Key (leave empty to use the stored key)' : 'Key'}
        value={setup.apiKey}
        onChange={(apiKey) => change({ apiKey, usesSandbox: false })}
        check={check}
        storage={storage.data}
        acceptUnprotected={setup.acceptUnprotected}
        onAcceptUnprotected={(acceptUnprotected) => change({ acceptUnprotected })}
        acceptTestKey={setup.acceptTestKey}
        onAcceptTestKey={(acceptTestKey) => change({ acceptTestKey })}
      />
      {failure !== null && <Banner tone="bad">{failure}</Banner>}
    </StepForm>
  )
}
