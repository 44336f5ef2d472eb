import { useState } from 'react'
import type { SentNow } from '../../../shared/ipc/monitoring.ts'
import { Button } from '../../components/Button.tsx'
import { sentenceOf } from '../../data/ask.ts'

type Props = {
  readonly word: string
  readonly send: () => Promise<SentNow>
  readonly arrived: string
  readonly onSent: () => void
}

/** Sends a test alert or a heartbeat now and shows the result. Works for a managed URL too. */
export function SendNow({ word, send, arrived, onSent }: Props) {
  const [busy, setBusy] = useState(false)
  const [sent, setSent] = useState<SentNow | null>(null)
  const press = async () => {
    setBusy(true)
    setSent(await send().catch((error: unknown) => ({ ok: false as const, sentence: sentenceOf(error) })))
    setBusy(false)
    onSent()
  }
  return (
    <div className="row">
      <Button busy={busy} onPress={() => void press()}>
        {word}
      </Button>
      <span className={sent?.ok === false ? 'field-error' : 'quiet small'} role="status">
        {sent === null || busy ? '' : sent.ok ? arrived : sent.sentence}
      </span>
    </div>
  )
}
