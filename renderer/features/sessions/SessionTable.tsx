import { Button } from 'react-aria-components'
import type { Session, SessionStatus } from '../../../shared/control-api.ts'
import { formatBytes, formatCount, formatMoment } from '../../../shared/format.ts'
import type { IconName } from '../../components/Icon.tsx'
import { MarkedWord, type Tone } from '../../components/StateMark.tsx'
import { useNow } from '../../data/use-now.ts'
import { sessionStatusWords } from './session-filters.ts'

const marks: Readonly<Record<SessionStatus, { readonly icon: IconName; readonly tone: Tone }>> = {
  uploading: { icon: 'up-circle', tone: 'busy' },
  uploaded: { icon: 'finish', tone: 'busy' },
  processing: { icon: 'cycle', tone: 'busy' },
  processed: { icon: 'check-circle', tone: 'good' },
  failed: { icon: 'octagon', tone: 'bad' },
}

type Props = {
  readonly sessions: readonly Session[]
  readonly openId: string | null
  readonly onOpen: (session: Session) => void
}

export function SessionTable({ sessions, openId, onOpen }: Props) {
  const now = useNow()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="table-frame" tabIndex={0} aria-label="Sessions">
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
                  {session.filename}
                </Button>
              </td>
              <td>
                <MarkedWord mark={marks[session.status]} word={sessionStatusWords[session.status]} />
              </td>
              <td className="table-wide truncate">
                {session.site}
                {session.device !== undefined && <span className="quiet"> · {session.device}</span>}
              </td>
              <td className="number">{formatBytes(session.bytes)}</td>
              <td className="number table-wide">
                {session.segment_count === undefined ? '–' : formatCount(session.segment_count)}
              </td>
              <td className="number quiet">{formatMoment(session.created_at, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
