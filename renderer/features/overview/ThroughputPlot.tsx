import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Throughput } from '../../../shared/status/status.ts'
import { formatClock, formatRate } from '../../../shared/words/format.ts'
import { useColourVersion } from '../../data/use-theme.ts'

const HEIGHT_PX = 148
const MIN_SCALE_BYTES_PER_SECOND = 1_000

const dataOf = ({ bucketSeconds, endsAt, bytes }: Throughput): uPlot.AlignedData => {
  const end = Date.parse(endsAt) / 1000
  return [
    bytes.map((_, index) => end - (bytes.length - 1 - index) * bucketSeconds),
    bytes.map((value) => value / bucketSeconds),
  ]
}

const formatAxisTime = (seconds: number) => formatClock(new Date(seconds * 1000).toISOString())

/** Labels are round numbers, so they have no decimals: "50 MB/s", not "50.0 MB/s". */
const formatAxisRate = (bytesPerSecond: number) =>
  bytesPerSecond === 0 ? '0' : formatRate(bytesPerSecond).replace(/[.,]0 /, ' ')

/**
 * Keeps the highest point below the top edge. The scale follows the data, so that the curve of a slow upload fills the
 * plot too.
 */
const scaleRange: uPlot.Range.Function = (_plot, _min, max) => [
  0,
  Math.max(MIN_SCALE_BYTES_PER_SECOND, max * 1.15),
]

const optionsFor = (element: HTMLElement): uPlot.Options => {
  const style = getComputedStyle(element)
  const accent = style.getPropertyValue('--accent')
  const axis: uPlot.Axis = {
    stroke: style.getPropertyValue('--text-quiet'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: style.getPropertyValue('--line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    // Leaves room for half of the last time label, which is centred under the right edge.
    padding: [8, 20, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    scales: { y: { range: scaleRange } },
    axes: [
      {
        ...axis,
        size: 26,
        space: 80,
        grid: { show: false },
        values: (_plot, ticks) => ticks.map(formatAxisTime),
      },
      { ...axis, size: 72, space: 36, values: (_plot, ticks) => ticks.map(formatAxisRate) },
    ],
    series: [
      {},
      {
        stroke: accent,
        width: 2,
        fill: `color-mix(in srgb, ${accent} 14%, transparent)`,
        points: { show: false },
      },
    ],
  }
}

export function ThroughputPlot(props: { readonly throughput: Throughput; readonly summary: string }) {
  const { throughput, summary } = props
  const container = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const latestThroughput = useRef(throughput)
  const colourVersion = useColourVersion()
  latestThroughput.current = throughput

  // biome-ignore lint/correctness/useExhaustiveDependencies: redraws when the colours change.
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const newPlot = new uPlot(optionsFor(element), dataOf(latestThroughput.current), element)
    plot.current = newPlot
    const observer = new ResizeObserver(() =>
      newPlot.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      newPlot.destroy()
      plot.current = null
    }
  }, [colourVersion])

  useEffect(() => plot.current?.setData(dataOf(throughput)), [throughput])

  return <div ref={container} className="plot" role="img" aria-label={`Throughput: ${summary}`} />
}
