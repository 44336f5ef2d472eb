import { Button as AriaButton } from 'react-aria-components'
import { countIn, type NightPart, nightParts } from '../../../shared/status/night-parts.ts'
import { nightAt, nightWord } from '../../../shared/status/nights.ts'
import type { MorningReport, Status } from '../../../shared/status/status.ts'
import { formatBytes, formatCount, momentInSentence, plural } from '../../../shared/words/format.ts'
import { nightPartWords, uncheckedWords } from '../../../shared/words/words.ts'
import { Card } from '../../components/Card.tsx'
import { useNow } from '../../data/use-now.ts'
import type { Place } from '../../navigation.ts'

type Props = {
  readonly status: Pick<Status, 'report' | 'folders' | 'station'>
  readonly goTo: (place: Place) => void
}

/**
 * The bytes of each part of the bar. Bytes of an unfinished upload that the service has count as `at-service`, so that
 * `here` contains only bytes that are nowhere else.
 */
const sharesOf = ({ partBytes, sentBytes }: MorningReport): Readonly<Record<NightPart, number>> => ({
  ...partBytes,
  'at-service': partBytes['at-service'] + sentBytes,
  here: partBytes.here - sentBytes,
})

/** "5 % of 87.0 MB uploaded". If nothing is left to upload and nothing needs attention, returns only the size. */
const uploadedWords = (shares: ReturnType<typeof sharesOf>, bytes: number): string => {
  if (shares.here === 0 && shares['needs-attention'] === 0) return formatBytes(bytes)
  const uploaded = shares.safe + shares['at-service']
  return `${Math.floor((uploaded / bytes) * 100)} % of ${formatBytes(bytes)} uploaded`
}

/**
 * Shows the night's recordings by standing. Each part links to its recordings. The bar counts bytes, because one long
 * recording may take longer than all others together. While someone has to act, its green is pale: from a distance, a
 * solid green bar would look as if all were well.
 */
export function NightCard({ status: { report, folders, station }, goTo }: Props) {
  const now = useNow()
  const unchecked = uncheckedWords(folders)
  const { recorded, bytes, standings, since } = report
  const shares = sharesOf(report)
  const parts = nightParts
    .map((part) => ({ part, count: countIn(standings, part) }))
    .filter(({ count }) => count > 0)
  const partWords = (part: NightPart, count: number) =>
    count === 1 ? nightPartWords[part].one : nightPartWords[part].many
  const extent = recorded === 0 ? '' : ` · ${plural(recorded, 'recording')} · ${uploadedWords(shares, bytes)}`
  return (
    <Card
      title={nightWord(nightAt(Date.parse(since)).name, now)}
      aside={<span className="quiet small">{`Since ${momentInSentence(since, now)}${extent}`}</span>}
      {...(station.state === 'attention' ? { className: 'night-pale' } : {})}
    >
      {recorded === 0 ? (
        <p className="quiet">
          {unchecked === '' ? 'Nothing was recorded.' : `No recordings found. ${unchecked}.`}
        </p>
      ) : (
        <>
          <div className="night-bar" aria-hidden="true">
            {nightParts
              .filter((part) => shares[part] > 0 || countIn(standings, part) > 0)
              .map((part) => (
                <span
                  key={part}
                  className={`night-share night-${part}`}
                  style={{ flexGrow: Math.max(1, shares[part]) }}
                />
              ))}
            {unchecked !== '' && <span className="night-unchecked" />}
          </div>
          <ul className="night-parts">
            {parts.map(({ part, count }) => (
              <li key={part}>
                <AriaButton
                  className="night-part"
                  onPress={() => goTo({ screen: 'recordings', standing: part, night: true })}
                >
                  <span className={`night-key night-${part}`} />
                  <strong>{formatCount(count)}</strong>
                  <span>{partWords(part, count)}</span>
                  <span className="quiet">
                    {part === 'here'
                      ? `${formatBytes(shares.here)} left`
                      : formatBytes(report.partBytes[part])}
                  </span>
                  {part === 'here' && report.sentBytes > 0 && (
                    <>
                      <span className="night-key night-key-second night-at-service" />
                      <span className="quiet">{`${formatBytes(report.sentBytes)} uploaded`}</span>
                    </>
                  )}
                </AriaButton>
              </li>
            ))}
            {unchecked !== '' && (
              <li>
                <AriaButton className="night-part" onPress={() => goTo({ screen: 'folders' })}>
                  <span className="night-key night-unchecked" />
                  <span>{unchecked}</span>
                </AriaButton>
              </li>
            )}
          </ul>
        </>
      )}
    </Card>
  )
}
