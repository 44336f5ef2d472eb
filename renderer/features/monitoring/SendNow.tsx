import { useState } from 'react'
import type { DeliveryResult } from '../../../shared/ipc/monitoring.ts'
import { Button } from '../../components/Button.tsx'
import { sentenceOf } from '../../data/shown-error.ts'

type Props = {
  readonly label: string
  readonly send: () => Promise<DeliveryResult>
  readonly successText: string
  readonly onFinished: () => void
}

/**
 * Sends a test alert or a heartbeat now and shows the result. Works for a managed URL too, because the page need not
 * know the URL.
 */
export function SendNow({ label, send, successText, onFinished }: Props) {
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<DeliveryResult | null>(null)
  const press = async () => {
    setBusy(true)
    setResult(await send().catch((error: unknown) => ({ ok: false as const, sentence: sentenceOf(error) })))
    setBusy(false)
    onFinished()
  }
  return (
    <div className="row">
      <Button busy={busy} onPress={() => void press()}>
        {label}
      </Button>
      <span className={result?.ok === false ? 'field-error' : 'quiet small'} role="status">
        {result === null || busy ? '' : result.ok ? successText : result.sentence}
      </span>
    </div>
  )
}
