import { formatBytes, formatCount } from '../../../shared/words/format.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { CopyValue } from '../../components/CopyValue.tsx'
import { Facts } from '../../components/Facts.tsx'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { ProgressBar } from '../../components/ProgressBar.tsx'
import { SessionFacts } from '../../components/SessionFacts.tsx'
import { SidePane } from '../../components/SidePane.tsx'
import { useLoad } from '../../data/use-load.ts'
import { StageTimeline } from '../../features/recordings/StageTimeline.tsx'
import '../../features/recordings/recording-pane.css'
import { type SessionDetails, summaryOf, timelineOf } from '../data/answers.ts'
import { useSignedIn } from '../data/SignedIn.tsx'
import { useReloadEvery } from '../data/use-reload-every.ts'
import { DownloadButton } from './DownloadButton.tsx'

const RELOAD_EVERY_MS = 10_000

type Props = { readonly id: string; readonly onClose: () => void }

export function SessionPane({ id, onClose }: Props) {
  const { server } = useSignedIn()
  const loaded = useLoad(id, () => server.get<SessionDetails>(`/page/sessions/${encodeURIComponent(id)}`))
  const session = loaded.data
  useReloadEvery(RELOAD_EVERY_MS, () => {
    if (session?.status !== 'processed' && session?.status !== 'failed') loaded.reload()
  })
  return (
    <SidePane title={session?.filename ?? id} onClose={onClose}>
      {loaded.error !== null && (
        <Banner tone="warn" action={<Button onPress={loaded.reload}>Try again</Button>}>
          {loaded.error}
        </Banner>
      )}
      {session === null && loaded.error === null && <LoadingRows rows={6} label="Loading" />}
      {session !== null && <Details session={session} />}
    </SidePane>
  )
}

function Details({ session }: { readonly session: SessionDetails }) {
  return (
    <>
      {session.status === 'uploading' ? (
        <UploadProgress session={session} />
      ) : (
        <DownloadButton session={session} />
      )}
      <SessionFacts session={summaryOf(session)} />
      {session.notes !== undefined && session.notes.trim() !== '' && (
        <section className="pane-section">
          <h3>Notes</h3>
          <p className="lab-notes selectable">{session.notes}</p>
        </section>
      )}
      <section className="pane-section">
        <h3>Timeline</h3>
        <StageTimeline entries={timelineOf(session)} />
      </section>
      <section className="pane-section">
        <h3>For support</h3>
        <Facts
          facts={[
            { name: 'Session', value: <CopyValue name="session ID" value={session.id} /> },
            { name: 'SHA-256', value: <CopyValue name="SHA-256" value={session.sha256} /> },
          ]}
        />
      </section>
    </>
  )
}

function UploadProgress({ session }: { readonly session: SessionDetails }) {
  const { total, received, received_bytes } = session.parts
  return (
    <div className="stack">
      <ProgressBar label="Uploaded" value={session.bytes === 0 ? 0 : received_bytes / session.bytes} />
      <p className="quiet small">
        {`${formatBytes(received_bytes)} of ${formatBytes(session.bytes)} arrived, ${formatCount(received)} of ${formatCount(total)} parts. You can download the recording after the upload.`}
      </p>
    </div>
  )
}
