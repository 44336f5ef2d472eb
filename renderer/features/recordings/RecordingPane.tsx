import { useState } from 'react'
import { formatBytes, formatMoment, plural } from '../../../shared/format.ts'
import type { RecordingDetail } from '../../../shared/status.ts'
import { Button } from '../../components/Button.tsx'
import { CopyValue } from '../../components/CopyValue.tsx'
import { DeleteSessionDialog } from '../../components/DeleteSessionDialog.tsx'
import { Facts } from '../../components/Facts.tsx'
import { LoadingRows, Placeholder } from '../../components/Placeholder.tsx'
import { ProblemCard } from '../../components/ProblemCard.tsx'
import { SessionFacts } from '../../components/SessionFacts.tsx'
import { SidePane } from '../../components/SidePane.tsx'
import { RecordingMark } from '../../components/StateMark.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useLoad } from '../../data/use-load.ts'
import { useNow } from '../../data/use-now.ts'
import { useRefreshTick } from '../../data/use-refresh-tick.ts'
import { PartMap } from './PartMap.tsx'
import { RowProgress } from './RecordingCells.tsx'
import { StageTimeline } from './StageTimeline.tsx'

const mayRetry = (recording: RecordingDetail) =>
  recording.state === 'blocked' || recording.state === 'failed' || recording.state === 'gone'

const segmentWords = (count: number | null) => (count === null ? 'Its segments' : plural(count, 'segment'))

function Actions({ recording }: { readonly recording: RecordingDetail }) {
  const { attempt } = useNotices()
  const ids = [recording.id]
  return (
    <div className="row">
      {mayRetry(recording) && (
        <Button
          look="primary"
          icon="cycle"
          onPress={() => void attempt(() => ask('retryRecordings', { ids }), 'Trying this recording again.')}
        >
          Try again
        </Button>
      )}
      {mayRetry(recording) && recording.problem !== null && (
        <Button onPress={() => void attempt(() => ask('dismissRecordings', { ids }), 'Marked as seen.')}>
          I have seen it
        </Button>
      )}
      <Button
        onPress={() =>
          void attempt(() => ask('showRecording', { id: recording.id }), 'Shown in the file manager.')
        }
      >
        Show in folder
      </Button>
    </div>
  )
}

function Content({
  recording,
  reload,
}: {
  readonly recording: RecordingDetail
  readonly reload: () => void
}) {
  const now = useNow()
  const [deleting, setDeleting] = useState(false)
  const { sessionId } = recording
  const facts = [
    { name: 'File', value: <CopyValue name="path" value={recording.path} /> },
    { name: 'Size', value: formatBytes(recording.bytes) },
    { name: 'Written', value: formatMoment(recording.modifiedAt, now) },
    { name: 'Found', value: formatMoment(recording.foundAt, now) },
    { name: 'Site', value: recording.site },
    ...(recording.sha256 === null
      ? []
      : [{ name: 'SHA-256', value: <CopyValue name="SHA-256" value={recording.sha256} /> }]),
    ...(sessionId === null
      ? []
      : [{ name: 'Session', value: <CopyValue name="session id" value={sessionId} /> }]),
    ...(recording.duplicateOf === null
      ? []
      : [{ name: 'Same as', value: <CopyValue name="path" value={recording.duplicateOf} /> }]),
  ]
  return (
    <>
      <div className="pane-state">
        <RecordingMark row={recording} />
        {recording.problem === null && <RowProgress row={recording} />}
      </div>
      {recording.problem !== null && <ProblemCard problem={recording.problem} />}
      <Actions recording={recording} />
      {recording.parts.length > 0 && (
        <section className="pane-section">
          <h3>Parts</h3>
          <PartMap parts={recording.parts} partSize={recording.partSize} />
        </section>
      )}
      <section className="pane-section">
        <h3>Stages</h3>
        <StageTimeline entries={recording.timeline} />
      </section>
      {recording.session !== null && (
        <section className="pane-section">
          <h3>At the service</h3>
          <SessionFacts session={recording.session} />
        </section>
      )}
      <section className="pane-section">
        <h3>File</h3>
        <Facts facts={facts} />
      </section>
      {sessionId !== null && (
        <section className="pane-section">
          <h3>Delete at the service</h3>
          <p className="quiet">
            The file on this PC stays. {segmentWords(recording.session?.segmentCount ?? null)} and everything
            else made from it would be gone for good.
          </p>
          <div>
            <Button icon="trash" onPress={() => setDeleting(true)}>
              Delete at the service…
            </Button>
          </div>
        </section>
      )}
      {deleting && sessionId !== null && (
        <DeleteSessionDialog
          id={sessionId}
          filename={recording.name}
          segments={recording.session?.segmentCount ?? null}
          localFile={recording.path}
          onClose={() => setDeleting(false)}
          onDeleted={reload}
        />
      )}
    </>
  )
}

export function RecordingPane({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const tick = useRefreshTick(1_000)
  const { data, error, reload } = useLoad(`${id} ${tick}`, async () => ({
    recording: await ask('getRecording', { id }),
  }))
  const recording = data?.recording ?? null
  return (
    <SidePane title={recording?.name ?? 'Recording'} onClose={onClose}>
      {recording !== null ? (
        <Content recording={recording} reload={reload} />
      ) : error !== null ? (
        <Placeholder icon="offline" title="Not to be had right now" text={error} />
      ) : data === null ? (
        <LoadingRows rows={6} label="The recording is loading" />
      ) : (
        <Placeholder icon="gone" title="No longer in the journal" text="This recording has been removed." />
      )}
    </SidePane>
  )
}
