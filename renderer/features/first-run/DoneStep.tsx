import { useEffect, useRef } from 'react'
import type { RecordingRow } from '../../../shared/status/status.ts'
import { formatBytes } from '../../../shared/words/format.ts'
import { trayAdvice } from '../../../shared/words/tray-advice.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { CopyValue } from '../../components/CopyValue.tsx'
import { Icon } from '../../components/Icon.tsx'
import { RecordingMark } from '../../components/StateMark.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { ask } from '../../data/ask.ts'
import { useLoad } from '../../data/use-load.ts'
import { RowProgress } from '../recordings/RecordingCells.tsx'
import { firstRecordingTitle } from './first-recording.ts'
import type { Setup } from './setup.ts'

function FirstRecording({ row }: { readonly row: RecordingRow }) {
  return (
    <div className="first-recording">
      <div className="row spread">
        <strong className="truncate">{row.name}</strong>
        <RecordingMark row={row} />
      </div>
      <RowProgress row={row} />
      <span className="quiet small">{formatBytes(row.bytes)}</span>
    </div>
  )
}

/** Stands below the button, so that nothing moves when the note appears. */
function TrayNote() {
  const { data } = useLoad('info', () => ask('getAppInfo'))
  const advice = data === null ? null : trayAdvice(data)
  if (advice === null) return null
  return (
    <Banner tone="quiet">
      <p>{advice.sentence}</p>
      {advice.command !== null && <CopyValue name="command" value={advice.command} />}
      <p>{advice.instead}</p>
    </Banner>
  )
}

export function DoneStep({ setup, onDone }: { readonly setup: Setup; readonly onDone: () => void }) {
  const { status } = useAgent()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  // The recordings are sorted newest first, so the last entry is the oldest.
  const firstRow = status?.recent.at(-1)
  const { title, tone } = firstRecordingTitle(firstRow)
  return (
    <div className="first-run-form">
      <span className={`tone-${tone}`}>
        <Icon name={tone === 'warn' ? 'triangle' : 'check-circle'} size={32} />
      </span>
      <div>
        <h1 ref={heading} tabIndex={-1} aria-live="polite">
          {title}
        </h1>
        <p className="quiet">
          {firstRow === undefined
            ? `Record something, or copy a file into ${setup.path}. It shows up here within seconds.`
            : (firstRow.problem?.next ?? 'You can close the window; Sluice keeps running.')}
        </p>
      </div>
      {firstRow === undefined ? (
        <div className="first-recording quiet">
          <span className="row">
            <Icon name="folder" /> Waiting for the first file…
          </span>
        </div>
      ) : (
        <FirstRecording row={firstRow} />
      )}
      <div>
        <Button look="primary" onPress={onDone}>
          Open Overview
        </Button>
      </div>
      <TrayNote />
    </div>
  )
}
