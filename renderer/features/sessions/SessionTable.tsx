import { Button } from 'react-aria-components'
import type { SessionSummary } from '../../../shared/status/status.ts'
import { formatBytes, formatCount, formatMoment } from '../../../shared/words/format.ts'
import { SessionStatus } from '../../components/SessionStatus.tsx'
import { TruncatedName } from '../../components/TruncatedName.tsx'
import { useNow } from '../../data/use-now.ts'

type Props = {
  readonly sessions: readonly SessionSummary[]
  readonly openId: string | null
  readonly onOpen: (session: SessionSummary) => void
}

export function SessionTable({ sessions, openId, onOpen }: Props) {
  const now = useNow()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
    <section className="list-frame" tabIndex={0} aria-label="List of sessions">
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
                {/* The label has the whole name: a screen reader would pause in the middle of a truncated name. */}
                <Button
                  className="link-button"
                  aria-label={session.filename ?? session.id}
                  onPress={() => onOpen(session)}
                >
                  <TruncatedName name={session.filename ?? session.id} />
                </Button>
                <span className="table-narrow quiet small">
                  {[
                    session.createdAt === null ? null : formatMoment(session.createdAt, now),
                    session.bytes === null ? null : formatBytes(session.bytes),
                  ]
                    .filter((fact) => fact !== null)
                    .join(' · ')}
                </span>
              </td>
              <td>
                <SessionStatus status={session.status} />
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
