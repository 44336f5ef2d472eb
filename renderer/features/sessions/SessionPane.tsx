import { useState } from 'react'
import type { SessionSummary } from '../../../shared/status/status.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { CopyValue } from '../../components/CopyValue.tsx'
import { DeleteSessionDialog } from '../../components/DeleteSessionDialog.tsx'
import { Facts } from '../../components/Facts.tsx'
import { OwnerOnly } from '../../components/Managed.tsx'
import { SessionFacts } from '../../components/SessionFacts.tsx'
import { SidePane } from '../../components/SidePane.tsx'
import { ask } from '../../data/ask.ts'
import { useLoad } from '../../data/use-load.ts'

type Props = {
  readonly listedSession: SessionSummary
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Shows the listed session at once, and its current state after the service answers. */
export function SessionPane({ listedSession, onClose, onDeleted }: Props) {
  const [isDeleting, setIsDeleting] = useState(false)
  const loadedSession = useLoad(listedSession.id, () => ask('getSession', { id: listedSession.id }))
  const session = loadedSession.data ?? listedSession
  return (
    <SidePane title={session.filename ?? session.id} onClose={onClose}>
      {loadedSession.error !== null && (
        <Banner tone="warn">{loadedSession.error} Details may be outdated.</Banner>
      )}
      <SessionFacts session={session} />
      <section className="pane-section">
        <h3>For support</h3>
        <Facts facts={[{ name: 'Session', value: <CopyValue name="session ID" value={session.id} /> }]} />
      </section>
      <OwnerOnly>
        <div>
          <Button icon="trash" onPress={() => setIsDeleting(true)}>
            Delete at the service…
          </Button>
        </div>
      </OwnerOnly>
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
