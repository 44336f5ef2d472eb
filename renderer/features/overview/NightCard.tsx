import { Button as AriaButton } from 'react-aria-components'
import { countIn, type NightPart, nightParts } from '../../../shared/status/night-parts.ts'
import { nightAt, nightWord } from '../../../shared/status/nights.ts'
import type { MorningReport } from '../../../shared/status/status.ts'
import { formatBytes, formatCount, momentInSentence, plural } from '../../../shared/words/format.ts'
import { nightPartWords } from '../../../shared/words/words.ts'
import { Card } from '../../components/Card.tsx'
import { useNow } from '../../data/use-now.ts'
import type { Place } from '../../navigation.ts'

type Props = { readonly report: MorningReport; readonly goTo: (place: Place) => void }

/** The night's recordings by state. The parts add up to all of them, and each links to its recordings. */
export function NightCard({ report, goTo }: Props) {
  const now = useNow()
  const { recorded, bytes, standings, since } = report
  const parts = nightParts
    .map((part) => ({ part, count: countIn(standings, part) }))
    .filter(({ count }) => count > 0)
  const words = (part: NightPart, count: number) =>
    count === 1 ? nightPartWords[part].one : nightPartWords[part].many
  const extent = recorded === 0 ? '' : ` · ${plural(recorded, 'recording')}, ${formatBytes(bytes)}`
  return (
    <Card
      title={nightWord(nightAt(Date.parse(since)).name, now)}
      aside={<span className="quiet small">{`Since ${momentInSentence(since, now)}${extent}`}</span>}
    >
      {recorded === 0 ? (
        <p className="quiet">Nothing was recorded.</p>
      ) : (
        <>
          <div className="night-bar" aria-hidden="true">
            {parts.map(({ part, count }) => (
              <span key={part} className={`night-share night-${part}`} style={{ flexGrow: count }} />
            ))}
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
                  <span>{words(part, count)}</span>
                </AriaButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}
