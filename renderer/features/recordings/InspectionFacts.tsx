import { useState } from 'react'
import type { ChannelSignal, InspectedChannel, Inspection } from '../../../shared/status/inspection.ts'
import { formatCount, formatDuration, formatMoment, plural } from '../../../shared/words/format.ts'
import { completenessWords, formatWords } from '../../../shared/words/inspection-words.ts'
import { Button } from '../../components/Button.tsx'
import { Facts } from '../../components/Facts.tsx'
import { MarkedWord } from '../../components/StateMark.tsx'
import { useNow } from '../../data/use-now.ts'
import { filledStretches } from './channel-gaps.ts'

const MAX_SHOWN = 20
const HEIGHT = 6

const formatShort = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(1))

/** The words for a picture or sound without content. Null if there is content. */
const signalLabels: Readonly<Record<ChannelSignal, string | null>> = {
  varies: null,
  black: 'black',
  constant: 'constant picture',
  silent: 'silent',
}

const channelWords = ({ messages, rateHz, largestGapS, signal }: InspectedChannel): string =>
  [
    ...(messages === null ? [] : [messages === 0 ? 'no messages' : plural(messages, 'message')]),
    ...(rateHz === null ? [] : [`${formatShort(rateHz)} Hz`]),
    ...(largestGapS === null || largestGapS < 1 ? [] : [`longest gap ${formatDuration(largestGapS)}`]),
    ...(signal === undefined ? [] : (signalLabels[signal] ?? [])),
  ].join(' · ')

/** One bar for a channel: filled where the channel has messages, empty where the channel has a gap. */
function Bar({
  channel,
  durationS,
}: {
  readonly channel: InspectedChannel
  readonly durationS: number | null
}) {
  const buckets = channel.timeline?.length ?? 0
  if (buckets === 0) return null
  const stretches = filledStretches(channel, durationS)
  return (
    <svg
      className="channel-bar"
      viewBox={`0 0 ${buckets} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${channel.name}: ${channelWords(channel)}`}
    >
      <rect className="channel-gap" width={buckets} height={HEIGHT} />
      <path
        className="channel-messages"
        d={stretches.map(({ from, to }) => `M${from} 0H${to}V${HEIGHT}H${from}z`).join('')}
      />
    </svg>
  )
}

function Channels({ channels, durationS }: Pick<Inspection, 'channels' | 'durationS'>) {
  const [isShowingAll, setShowingAll] = useState(false)
  const shownChannels = isShowingAll ? channels : channels.slice(0, MAX_SHOWN)
  return (
    <>
      <ul className="channel-list">
        {shownChannels.map((channel) => (
          <li key={channel.name} className="channel-row">
            <span className="channel-name mono small">{channel.name}</span>
            <Bar channel={channel} durationS={durationS} />
            <span className="quiet small">{channelWords(channel)}</span>
          </li>
        ))}
      </ul>
      {shownChannels.length < channels.length && (
        <Button size="small" look="quiet" onPress={() => setShowingAll(true)}>
          {`Show ${formatCount(channels.length - shownChannels.length)} more`}
        </Button>
      )}
    </>
  )
}

type Props = {
  readonly inspection: Inspection
  readonly differences: readonly string[]
  readonly deviations: readonly string[]
}

/** Shows what this PC found in the file, what is unexpected or unusual, and where the service found something else. */
export function InspectionFacts({ inspection, differences, deviations }: Props) {
  const now = useNow()
  const { format, completeness, startedAtMs, durationS, channels, warnings } = inspection
  const notes = [...deviations, ...warnings.map(({ detail }) => detail), ...differences]
  return (
    <section className="pane-section">
      <h3>In the file</h3>
      {completeness === 'cut-off' && (
        <MarkedWord
          mark={{ icon: 'triangle', tone: 'warn' }}
          word={`C${completenessWords['cut-off'].slice(1)}`}
        />
      )}
      {notes.length > 0 && (
        <ul className="inspection-notes">
          {notes.map((note) => (
            <li key={note} className="small">
              <MarkedWord mark={{ icon: 'triangle', tone: 'warn' }} word={note} />
            </li>
          ))}
        </ul>
      )}
      <Facts
        facts={[
          { name: 'Format', value: formatWords[format] },
          ...(startedAtMs === null
            ? []
            : [{ name: 'Recorded', value: formatMoment(new Date(startedAtMs).toISOString(), now) }]),
          ...(durationS === null ? [] : [{ name: 'Duration', value: formatDuration(durationS) }]),
        ]}
      />
      {channels.length > 0 && <Channels channels={channels} durationS={durationS} />}
    </section>
  )
}
