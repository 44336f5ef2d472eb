import { useState } from 'react'
import type { SessionSummary } from '../../../shared/status/status.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { CopyValue } from '../../components/CopyValue.tsx'
import { DeleteSessionDialog } from '../../components/DeleteSessionDialog.tsx'
import { Facts } from '../../components/Facts.tsx'
import { SessionFacts } from '../../components/SessionFacts.tsx'
import { SidePane } from '../../components/SidePane.tsx'
import { ask } from '../../data/ask.ts'
import { useLoad } from '../../data/use-load.ts'

type Props = { readonly listed: SessionSummary; readonly onClose: () => void; readonly onDeleted: () => void }

/** Shows the session of the list at once, and its current state as soon as the service answers. */
export function SessionPane({ listed, onClose, onDeleted }: Props) {
  const [isDeleting, setIsDeleting] = useState(false)
  const current = useLoad(listed.id, () => ask('getSession', { id: listed.id }))
  const session = current.data ?? listed
  return (
    <SidePane title={session.filename ?? session.id} onClose={onClose}>
      {current.error !== null && <Banner tone="warn">{current.error} Details may be outdated.</Banner>}
      <SessionFacts session={session} />
      <section className="pane-section">
        <h3>For support</h3>
        <Facts facts={[{ name: 'Session', value: <CopyValue name="session ID" value={session.id} /> }]} />
      </section>
      <div>
        <Button icon="trash" onPress={() => setIsDeleting(true)}>
          Delete at the service…
        </Button>
      </div>
      {isDeleting && (
        <DeleteSessionDialog
          id={session.id}
          filename={session.filename ?? session.id}
          segments={session.segmentCount}
          localFile={null}
          onClose={() => setIsDeleting(false)}
          onDeleted={onDeleted}
        />
      )}
    </SidePane>
  )
}
