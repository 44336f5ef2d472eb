import { type RefObject, useEffect, useRef } from 'react'
import type { Status, UploadProgress } from '../../../shared/status/status.ts'
import { stationLine } from '../../../shared/words/station-line.ts'
import { TEST_KEY_SENTENCE } from '../../../shared/words/test-key-words.ts'
import { Button } from '../../components/Button.tsx'
import { FactLine } from '../../components/FactLine.tsx'
import { Icon } from '../../components/Icon.tsx'
import { noBreakUnits } from '../../components/no-break-units.ts'
import { stationMark } from '../../components/StateMark.tsx'
import { TruncatedName } from '../../components/TruncatedName.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { ask } from '../../data/ask.ts'
import './panel.css'

const MAX_SHOWN = 3

/** Fits the height of the window to its content, as soon as there is content. */
const useFittingHeight = (content: RefObject<HTMLElement | null>, isReady: boolean): void => {
  useEffect(() => {
    const element = content.current
    if (element === null || !isReady) return
    const fit = () => window.resizeTo(window.outerWidth, Math.ceil(element.offsetHeight))
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    return () => observer.disconnect()
  }, [content, isReady])
}

const useEscapeToClose = (): void => {
  useEffect(() => {
    const close = ({ key }: KeyboardEvent) => key === 'Escape' && window.close()
    window.addEventListener('keydown', close)
    return () => window.removeEventListener('keydown', close)
  }, [])
}

function Upload({ upload: { name, percent } }: { readonly upload: UploadProgress }) {
  return (
    <li className="panel-upload">
      <TruncatedName name={name} />
      <strong className="number">{`${percent} %`}</strong>
      <span className="progress" aria-hidden="true">
        <span className="progress-fill" style={{ width: `${percent}%` }} />
      </span>
    </li>
  )
}

/** Shows only a few uploads, because the panel is small. */
function Uploads({ uploads }: Pick<Status['transfer'], 'uploads'>) {
  if (uploads.length === 0) return null
  return (
    <section className="panel-now" aria-label="Uploading now">
      <ul>
        {uploads.slice(0, MAX_SHOWN).map((upload) => (
          <Upload key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  )
}

/** The small window at the tray icon: the headline, current uploads, Pause and Open. */
export function Panel() {
  const { status, health } = useAgent()
  const content = useRef<HTMLElement>(null)
  const isRunning = health.state === 'running' && health.trouble === undefined
  useFittingHeight(content, status !== null || health.state === 'restarting' || health.trouble !== undefined)
  useEscapeToClose()
  const shownStatus = isRunning ? status : null
  const mark = stationMark(
    shownStatus?.station.state ?? (health.trouble === undefined ? 'starting' : 'attention'),
  )
  const isPaused = shownStatus?.station.paused === true
  const togglePause = () =>
    // Ignores an error, because the next status shows whether uploads are paused.
    void (isPaused ? ask('resume') : ask('pause', { until: null })).catch(() => undefined)
  return (
    <main ref={content} className="panel">
      <header className="panel-head">
        <span className={`panel-mark tone-${mark.tone}`}>
          <Icon name={mark.icon} size={16} />
        </span>
        <div>
          <h1 aria-live="polite">{noBreakUnits(stationLine({ status, health }))}</h1>
          {shownStatus?.station.testKey === true && <p className="quiet">{TEST_KEY_SENTENCE}</p>}
          {shownStatus !== null && shownStatus.station.detail !== '' && (
            <FactLine facts={shownStatus.station.detail} />
          )}
        </div>
      </header>
      {shownStatus !== null && <Uploads uploads={shownStatus.transfer.uploads} />}
      <footer className="panel-actions">
        <Button icon={isPaused ? 'play' : 'pause'} isDisabled={shownStatus === null} onPress={togglePause}>
          {isPaused ? 'Resume uploads' : 'Pause uploads'}
        </Button>
        <Button look="primary" autoFocus onPress={() => void ask('openWindow').catch(() => undefined)}>
          Open Sluice
        </Button>
      </footer>
    </main>
  )
}
