import type { IssueSeverity, SessionIssue } from '../../shared/contract/control-api.ts'
import type { SessionSummary } from '../../shared/status/status.ts'
import { formatBytes, formatCount, formatDuration, formatMoment, plural } from '../../shared/words/format.ts'
import type { Tone } from '../../shared/words/words.ts'
import { useNow } from '../data/use-now.ts'
import { Facts } from './Facts.tsx'
import type { IconName } from './Icon.tsx'
import { SessionStatus } from './SessionStatus.tsx'
import { MarkedWord } from './StateMark.tsx'

const severities: readonly {
  readonly id: IssueSeverity
  readonly noun: string
  readonly icon: IconName
  readonly tone: Tone
}[] = [
  { id: 'error', noun: 'error', icon: 'octagon', tone: 'warn' },
  { id: 'warning', noun: 'warning', icon: 'triangle', tone: 'warn' },
  { id: 'info', noun: 'note', icon: 'info', tone: 'quiet' },
]

/** Issues of an unknown severity are shown as notes. */
const isShownAs = (issue: SessionIssue, severity: IssueSeverity) =>
  issue.severity === severity ||
  (severity === 'info' && !severities.some((other) => other.id === issue.severity))

function Issues({ issues }: { readonly issues: readonly SessionIssue[] }) {
  if (issues.length === 0) return <p className="quiet">No issues.</p>
  return severities.map(({ id, noun, icon, tone }) => {
    const shownIssues = issues.filter((issue) => isShownAs(issue, id))
    if (shownIssues.length === 0) return null
    return (
      <div key={id} className="issue-group">
        <MarkedWord mark={{ icon, tone }} word={plural(shownIssues.length, noun)} />
        <ul>
          {shownIssues.map((issue, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: issues have no id, and the list never changes order.
            <li key={index} className="issue small">
              {issue.detail ?? issue.code}
              <span className="quiet">
                {' '}
                <code>{issue.code}</code>
                {issue.channel !== undefined && ` on ${issue.channel}`}
              </span>
            </li>
          ))}
        </ul>
      </div>
    )
  })
}

const unknownValue = <span className="quiet">Unknown</span>

export function SessionFacts({ session }: { readonly session: SessionSummary }) {
  const now = useNow()
  const momentOrUnknown = (at: string | null) => (at === null ? unknownValue : formatMoment(at, now))
  return (
    <>
      <Facts
        facts={[
          { name: 'Status', value: <SessionStatus status={session.status} /> },
          { name: 'Site', value: session.site ?? unknownValue },
          { name: 'Device', value: session.device ?? unknownValue },
          { name: 'Size', value: session.bytes === null ? unknownValue : formatBytes(session.bytes) },
          { name: 'Recorded', value: momentOrUnknown(session.recordedAt) },
          {
            name: 'Duration',
            value: session.durationS === null ? unknownValue : formatDuration(session.durationS),
          },
          {
            name: 'Segments',
            value: session.segmentCount === null ? unknownValue : formatCount(session.segmentCount),
          },
          { name: 'Created', value: momentOrUnknown(session.createdAt) },
          { name: 'Processed', value: momentOrUnknown(session.processedAt) },
          {
            name: 'Channels',
            value:
              session.channels.length === 0 ? (
                unknownValue
              ) : (
                <ul className="channels">
                  {session.channels.map((channel) => (
                    <li key={channel} className="channel mono">
                      {channel}
                    </li>
                  ))}
                </ul>
              ),
          },
        ]}
      />
      <Issues issues={session.issues} />
    </>
  )
}
