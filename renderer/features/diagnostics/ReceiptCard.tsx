import { useState } from 'react'
import { plural } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { TextField } from '../../components/Fields.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { dayOrderIssue, parseTypedDay } from '../../data/typed-day.ts'

/** A receipt for a period, as a later proof that everything arrived. */
export function ReceiptCard() {
  const { showSuccess, showError } = useNotices()
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [isSaving, setSaving] = useState(false)
  const since = parseTypedDay(from)
  const until = parseTypedDay(to, 1)
  const issue = dayOrderIssue(from, to)

  const save = async (period: { readonly since: string; readonly until: string }) => {
    setSaving(true)
    try {
      const savedFile = await ask('saveReceipt', { of: period })
      if (savedFile !== null)
        showSuccess(`${plural(savedFile.recordings, 'recording')} saved as ${savedFile.path}`)
    } catch (error) {
      showError(error)
    }
    setSaving(false)
  }

  return (
    <Card title="Receipt for a period">
      <p className="quiet">
        Lists every recording found in these days: path, size, SHA-256, session, parts, times and request IDs.
        Later, “sluice verify” compares the receipt with the disk and the service.
      </p>
      <div className="receipt-period">
        <TextField type="date" label="From" value={from} onChange={setFrom} />
        <TextField type="date" label="To" value={to} onChange={setTo} error={issue} />
      </div>
      <div>
        <Button
          busy={isSaving}
          isDisabled={since === null || until === null || issue !== null}
          onPress={() => since !== null && until !== null && void save({ since, until })}
        >
          {isSaving ? 'Saving…' : 'Save a receipt…'}
        </Button>
      </div>
    </Card>
  )
}
