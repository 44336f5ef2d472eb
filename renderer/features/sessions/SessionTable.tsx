import { Button } from 'react-aria-components'
import type { SessionStatus } from '../../../shared/contract/control-api.ts'
import type { SessionSummary } from '../../../shared/status/status.ts'
import { formatBytes, formatCount, formatMoment } from '../../../shared/words/format.ts'
import type { Tone } from '../../../shared/words/words.ts'
import type { IconName } from '../../components/Icon.tsx'
import { MarkedWord } from '../../components/StateMark.tsx'
import { useNow } from '../../data/use-now.ts'
import { sessionStatusWords } from './session-filters.ts'

const marks: Readonly<Record<SessionStatus, { readonly icon: IconName; readonly tone: Tone }>> = {
  uploading: { icon: 'up-circle', tone: 'busy' },
  uploaded: { icon: 'finish', tone: 'busy' },
  processing: { icon: 'cycle', tone: 'busy' },
  processed: { icon: 'check-circle', tone: 'good' },
  failed: { icon: 'octagon', tone: 'warn' },
}

const isKnown = (status: string): status is SessionStatus => status in marks

/** An unknown status is shown as the service sends it. */
function StatusMark({ status }: { readonly status: string }) {
  return isKnown(status) ? (
    <MarkedWord mark={marks[status]} word={sessionStatusWords[status]} />
  ) : (
    <MarkedWord mark={{ icon: 'info', tone: 'quiet' }} word={status} />
  )
}

type Props = {
  readonly sessions: readonly SessionSummary[]
  readonly openId: string | null
  readonly onOpen: (session: SessionSummary) => void
}

export function SessionTable({ sessions, openId, onOpen }: Props) {
  const now = useNow()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
    <section className="list-frame" tabIndex={0} aria-label="Sessions">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Recording</th>
            <th scope="col">Status</th>
            <th scope="col" className="table-wide">
              Site and device
            </th>
            <th scope="col" className="number">
              Size
            </th>
            <th scope="col" className="number table-wide">
              Segments
            </th>
            <th scope="col" className="number">
              Created
            </th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <tr key={session.id} className={session.id === openId ? 'row-open' : ''}>
              <td className="table-name">
                <Button className="link-button truncate" onPress={() => onOpen(session)}>
                  {/* Isolated, so that a name with right-to-left text does not reorder its neighbours. */}
                  <bdi>{session.filename ?? session.id}</bdi>
                </Button>
              </td>
              <td>
                <StatusMark status={session.status} />
              </td>
              <td className="table-wide truncate">
                {session.site}
                {session.device !== null && <span className="quiet"> · {session.device}</span>}
              </td>
              <td className="number">{session.bytes === null ? '–' : formatBytes(session.bytes)}</td>
              <td className="number table-wide">
                {session.segmentCount === null ? '–' : formatCount(session.segmentCount)}
              </td>
              <td className="number quiet">
                {session.createdAt === null ? '–' : formatMoment(session.createdAt, now)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
