import { useState } from 'react'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { ask, sentenceOf } from '../../data/ask.ts'
import { issueOf } from '../../data/field-issues.ts'
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
  const [starting, setStarting] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const addressRight = issueOf(addressSchema, setup.baseUrl) === null
  const hasKey = hasKeyFor(storage.data, setup.baseUrl)
  const stored = hasKey && setup.apiKey === ''
  const asksAgain = storage.data?.available === true && !storage.data.protects
  const agreed = (!asksAgain || setup.acceptUnprotected) && (!isTestKey(check) || setup.acceptTest)
  const keyRight = stored || (mayStore(check) && agreed)

  const trySandbox = async () => {
    setStarting(true)
    setFailure(null)
    try {
      const { baseUrl } = await ask('startSandbox')
      change({ baseUrl, apiKey: '', sandbox: true, keyTested: true })
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
      ready={addressRight && keyRight}
      onSubmit={() => {
        change({ keyTested: !stored && isTested(check) })
        onNext()
      }}
      aside={
        <Button look="quiet" busy={starting} onPress={() => void trySandbox()}>
          Try the sandbox
        </Button>
      }
    >
      <AddressField
        value={setup.baseUrl}
        onChange={(baseUrl) => change({ baseUrl, sandbox: false })}
        note={missingKeyNote(storage.data, setup.baseUrl)}
        autoFocus
      />
      <KeyField
        label={hasKey ? 'Key (empty: use the stored key)' : 'Key'}
        value={setup.apiKey}
        onChange={(apiKey) => change({ apiKey, sandbox: false })}
        check={check}
        storage={storage.data}
        acceptUnprotected={setup.acceptUnprotected}
        onAccept={(acceptUnprotected) => change({ acceptUnprotected })}
        acceptTest={setup.acceptTest}
        onAcceptTest={(acceptTest) => change({ acceptTest })}
      />
      {failure !== null && <Banner tone="bad">{failure}</Banner>}
    </StepForm>
  )
}
