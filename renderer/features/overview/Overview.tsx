import type { Status } from '../../../shared/status/status.ts'
import { formatDuration } from '../../../shared/words/format.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { FactLine } from '../../components/FactLine.tsx'
import { Icon } from '../../components/Icon.tsx'
import { noBreakUnits } from '../../components/no-break-units.ts'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { stationMark } from '../../components/StateMark.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { useNights } from '../../data/use-nights.ts'
import { useUploadNow } from '../../data/use-upload-now.ts'
import type { Place } from '../../navigation.ts'
import { AttentionList } from './AttentionList.tsx'
import { FolderList } from './FolderList.tsx'
import { NightCard } from './NightCard.tsx'
import { NowCard } from './NowCard.tsx'
import './overview.css'
import { DiskSpaceCard } from './DiskSpaceCard.tsx'
import { DrivesCard } from './DrivesCard.tsx'
import { RecentList } from './RecentList.tsx'
import { SandboxBanner } from './SandboxBanner.tsx'
import { ThirtyNights } from './ThirtyNights.tsx'
import { ThroughputCard } from './ThroughputCard.tsx'
import { TimeLeftCard } from './TimeLeftCard.tsx'

/** Above this offset, the page reports it: the upload hours and all shown times depend on the PC's clock. */
const SHOWN_CLOCK_OFFSET_MS = 60_000

/** "This PC’s clock is 5 min behind the service’s." Null if the offset is small, or if a card already shows it. */
const clockSentence = ({ conditions, clockOffsetMs }: Status['station']): string | null => {
  if (conditions.some(({ code }) => code === 'clock-wrong')) return null
  if (clockOffsetMs === null || Math.abs(clockOffsetMs) <= SHOWN_CLOCK_OFFSET_MS) return null
  const offset = formatDuration(Math.abs(clockOffsetMs) / 1000)
  return `This PC’s clock is ${offset} ${clockOffsetMs > 0 ? 'behind' : 'ahead of'} the service’s. Sluice corrects for it.`
}

export function Overview({ goTo }: { readonly goTo: (place: Place) => void }) {
  const { status, health } = useAgent()
  const { state } = useSettings()
  const nights = useNights()
  const { ofStation: uploadNow } = useUploadNow()

  if (status === null)
    return (
      <section className="screen" aria-labelledby="screen-title">
        <h1 id="screen-title" tabIndex={-1}>
          {health.trouble ?? 'Starting…'}
        </h1>
        {health.trouble === undefined ? (
          <LoadingRows rows={6} label="Loading" />
        ) : (
          <p className="quiet">Sluice keeps trying. Your recordings are not affected.</p>
        )}
      </section>
    )

  const { state: stationState, headline, detail } = status.station
  const mark = stationMark(stationState)
  const clockWords = clockSentence(status.station)
  // `DrivesCard` shows what can be unplugged, so it lists no built-in disks.
  const removableDrives = status.drives.filter(({ removable }) => removable)
  const folders = <FolderList folders={status.folders} nights={nights} goTo={goTo} />
  return (
    <section className="screen overview" aria-labelledby="screen-title">
      <header className="headline">
        <span className={`headline-mark tone-${mark.tone}`}>
          <Icon name={mark.icon} size={18} />
        </span>
        <div>
          <h1 id="screen-title" tabIndex={-1} aria-live="polite">
            {noBreakUnits(headline)}
          </h1>
          {detail !== '' && <FactLine facts={detail} className="headline-detail" />}
          {clockWords !== null && <p className="headline-detail quiet">{clockWords}</p>}
        </div>
        {uploadNow !== null && (
          <div className="row headline-action">
            <Button icon={uploadNow.icon} onPress={() => void uploadNow.run()}>
              {uploadNow.word}
            </Button>
          </div>
        )}
      </header>
      {state?.problem != null && <Banner tone="warn">{state.problem}</Banner>}
      <SandboxBanner goTo={goTo} />
      <AttentionList status={status} goTo={goTo} />
      <NowCard status={status} goTo={goTo} />
      <NightCard status={status} goTo={goTo} />
      <div className="tonight-grid">
        <TimeLeftCard status={status} goTo={goTo} />
        <DiskSpaceCard driveSpace={status.driveSpace} folders={status.folders} goTo={goTo} />
        {removableDrives.length > 0 ? <DrivesCard drives={removableDrives} /> : folders}
      </div>
      <div className="overview-grid">
        <ThirtyNights nights={nights?.station ?? null} goTo={goTo} />
        {removableDrives.length > 0 && folders}
      </div>
      <RecentList rows={status.recent} goTo={goTo} />
      <ThroughputCard />
    </section>
  )
}
