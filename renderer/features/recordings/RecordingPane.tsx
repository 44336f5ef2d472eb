import { useState } from 'react'
import { problemNeedsAttention } from '../../../shared/status/problem.ts'
import { actionApplies } from '../../../shared/status/recording-actions.ts'
import {
  type RecordingAction,
  type RecordingDetail,
  recordingActions,
} from '../../../shared/status/status.ts'
import { formatBytes, formatMoment, plural } from '../../../shared/words/format.ts'
import { ownerOf } from '../../../shared/words/words.ts'
import { Button, type ButtonLook } from '../../components/Button.tsx'
import { CopyForSupport } from '../../components/CopyForSupport.tsx'
import { CopyValue } from '../../components/CopyValue.tsx'
import { DeleteSessionDialog } from '../../components/DeleteSessionDialog.tsx'
import { Facts } from '../../components/Facts.tsx'
import { OwnerOnly } from '../../components/Managed.tsx'
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
import { useSupportText } from '../../data/use-support-text.ts'
import { useUploadNow } from '../../data/use-upload-now.ts'
import type { Place } from '../../navigation.ts'
import { fixWords, refusedField, refusesName } from '../../refused-field.ts'
import { actionWord, actionWords } from './action-words.ts'
import { InspectionFacts } from './InspectionFacts.tsx'
import { PartMap } from './PartMap.tsx'
import { StageProgress } from './RecordingCells.tsx'
import { holdOf } from './recording-hold.ts'
import { StageTimeline } from './StageTimeline.tsx'
import type { Actions } from './use-actions.ts'

type GoTo = (place: Place) => void

const segmentWords = (count: number | null) => (count === null ? 'The segments' : plural(count, 'segment'))

const isDeletedHere = ({ removedAt, movedTo }: RecordingDetail): boolean =>
  removedAt !== null && movedTo === null

const fileWords = (recording: RecordingDetail): string =>
  isDeletedHere(recording)
    ? 'The file is no longer on this PC, so the service may have the only copy.'
    : 'The file on this PC stays.'

/** The buttons of a recording, the most helpful one first. */
function ActionButtons({ recording, actions, goTo }: Omit<ContentProps, 'reload' | 'onOpenTake'>) {
  const { attempt, showSuccess, showError } = useNotices()
  const makeSupportText = useSupportText()
  const uploadNow = useUploadNow().ofRecording(recording)
  const { problem, folder } = recording
  const isEnded = recording.state === 'failed' || recording.state === 'gone'
  const field = problem === null ? null : refusedField(problem)
  const isNameRefused = problem !== null && refusesName(problem)
  // Retry is not the first choice if the user must first correct something, or if support must act. If the problem
  // needs no attention, retry is the first choice only for a failed or vanished recording.
  const isFirstChoice = (action: RecordingAction) =>
    action === 'retry' &&
    problem !== null &&
    (isEnded || problemNeedsAttention(problem)) &&
    ownerOf(problem) !== 'service' &&
    field === null &&
    !isNameRefused
  const applicableActions = recordingActions.filter((action) => actionApplies(action, recording))
  const renderActionButton = (action: RecordingAction, look: ButtonLook = 'plain') => (
    <Button
      key={action}
      look={look}
      icon={actionWords[action].icon}
      isDisabled={actions.running !== null}
      onPress={() => void actions.run(action, { ids: [recording.id] })}
    >
      {actionWord(action, recording)}
    </Button>
  )
  const renderShowButton = (look: ButtonLook) => (
    <Button
      look={look}
      icon="folder"
      onPress={() =>
        void attempt(() => ask('showRecording', { id: recording.id }), 'Shown in the file manager.')
      }
    >
      Show in folder
    </Button>
  )
  const isHere = !isDeletedHere(recording)
  const firstAction = applicableActions.find(isFirstChoice)
  const renderFirstButton = () => {
    if (problem !== null && field !== null)
      return (
        <Button
          look="primary"
          icon="edit"
          onPress={() => goTo({ screen: 'folders', fix: { folder, field, sentence: problem.sentence } })}
        >
          {fixWords[field]}
        </Button>
      )
    if (isNameRefused && isHere) return renderShowButton('primary')
    return firstAction === undefined ? null : renderActionButton(firstAction, 'primary')
  }
  const firstButton = renderFirstButton()
  return (
    <>
      {firstButton !== null && <div className="pane-first">{firstButton}</div>}
      <div className="row">
        {applicableActions
          .filter((action) => action !== firstAction)
          .map((action) => renderActionButton(action))}
        {uploadNow !== null && (
          <Button icon={uploadNow.icon} onPress={() => void uploadNow.run()}>
            {uploadNow.word}
          </Button>
        )}
        {isHere && !isNameRefused && renderShowButton('plain')}
        {/* With a problem, the problem card already has this button. */}
        {problem === null && (
          <CopyForSupport
            look="plain"
            text={() => makeSupportText({ problem, folder: null, count: 1, ids: [recording.id] })}
          />
        )}
        <Button
          onPress={() =>
            void ask('saveReceipt', { of: { ids: [recording.id] } })
              .then((saved) => saved !== null && showSuccess(`Receipt saved as ${saved.path}`))
              .catch(showError)
          }
        >
          Save a receipt…
        </Button>
      </div>
    </>
  )
}

type ContentProps = {
  readonly recording: RecordingDetail
  readonly actions: Actions
  readonly reload: () => void
  readonly goTo: GoTo
  readonly onOpenTake: () => void
}

function Content({ recording, actions, reload, goTo, onOpenTake }: ContentProps) {
  const now = useNow()
  const [isDeleting, setIsDeleting] = useState(false)
  const { sessionId } = recording
  const facts = [
    { name: 'File', value: <CopyValue name="path" value={recording.path} /> },
    ...(recording.removedAt === null
      ? []
      : [
          {
            name: recording.movedTo === null ? 'Removed' : 'Moved',
            value: formatMoment(recording.removedAt, now),
          },
        ]),
    ...(recording.movedTo === null
      ? []
      : [{ name: 'Moved to', value: <CopyValue name="new path" value={recording.movedTo} /> }]),
    { name: 'Size', value: formatBytes(recording.bytes) },
    { name: 'Written', value: formatMoment(recording.modifiedAt, now) },
    { name: 'Found', value: formatMoment(recording.foundAt, now) },
    { name: 'Site', value: recording.site },
    ...(recording.sha256 === null
      ? []
      : [{ name: 'SHA-256', value: <CopyValue name="SHA-256" value={recording.sha256} /> }]),
    ...(sessionId === null
      ? []
      : [{ name: 'Session', value: <CopyValue name="session ID" value={sessionId} /> }]),
    ...(recording.duplicateOf === null
      ? []
      : [{ name: 'Same as', value: <CopyValue name="path" value={recording.duplicateOf} /> }]),
  ]
  return (
    <>
      <div className="pane-state">
        <RecordingMark row={recording} />
        <StageProgress row={recording} />
      </div>
      {recording.take !== null && (
        <div>
          <Button size="small" icon="folder" onPress={onOpenTake}>
            {`Take ${recording.take}`}
          </Button>
        </div>
      )}
      {recording.problem !== null && (
        <ProblemCard
          problem={recording.problem}
          affectedRecordings={{ count: 1, ids: [recording.id] }}
          heldSince={holdOf(recording) === null ? null : recording.heldSince}
        />
      )}
      <ActionButtons recording={recording} actions={actions} goTo={goTo} />
      {recording.parts.length > 0 && (
        <section className="pane-section">
          <h3>Parts</h3>
          <PartMap
            parts={recording.parts}
            partSizeBytes={recording.partSizeBytes}
            sizeBytes={recording.bytes}
          />
        </section>
      )}
      {recording.inspection !== null && recording.inspection.format !== 'other' && (
        <InspectionFacts
          inspection={recording.inspection}
          differences={recording.differences}
          deviations={recording.deviations}
        />
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
            {fileWords(recording)} {segmentWords(recording.session?.segmentCount ?? null)} and everything else
            derived from the recording would be gone for good.
          </p>
          <OwnerOnly>
            <div>
              <Button icon="trash" onPress={() => setIsDeleting(true)}>
                Delete at the service…
              </Button>
            </div>
          </OwnerOnly>
        </section>
      )}
      {isDeleting && sessionId !== null && (
        <DeleteSessionDialog
          id={sessionId}
          filename={recording.name}
          segments={recording.session?.segmentCount ?? null}
          localFile={isDeletedHere(recording) ? null : (recording.movedTo ?? recording.path)}
          onClose={() => setIsDeleting(false)}
          onDeleted={reload}
        />
      )}
    </>
  )
}

type Props = {
  readonly id: number
  readonly actions: Actions
  readonly goTo: GoTo
  readonly onOpenTake: () => void
  readonly onClose: () => void
}

export function RecordingPane({ id, actions, goTo, onOpenTake, onClose }: Props) {
  const tick = useRefreshTick(1_000)
  const { data, error, reload } = useLoad(`${id} ${tick}`, async () => ({
    recording: await ask('getRecording', { id }),
  }))
  const recording = data?.recording ?? null
  return (
    <SidePane title={recording?.name ?? 'Recording'} onClose={onClose}>
      {recording !== null ? (
        <Content
          recording={recording}
          actions={actions}
          reload={reload}
          goTo={goTo}
          onOpenTake={onOpenTake}
        />
      ) : error !== null ? (
        <Placeholder icon="offline" title="Unavailable right now" text={error} />
      ) : data === null ? (
        <LoadingRows rows={6} label="Loading" />
      ) : (
        <Placeholder icon="gone" title="No longer in the journal" text="This recording was removed." />
      )}
    </SidePane>
  )
}
