import type { Take } from '../../main/agent/domain/usual-takes.ts'
import type { InspectedChannel, Inspection } from '../../shared/status/inspection.ts'

/** The ways in which a simulated recording goes wrong. */
export const faults = [
  'channel missing',
  'channel without messages',
  'channel stops early',
  'half the rate',
  'gap of seconds',
  'stopped at once',
  'cut off',
  'black picture',
] as const
export type Fault = (typeof faults)[number]

export type SimulatedTake = { readonly take: Take; readonly fault: Fault | null }

/** Recordings of six months, in order. */
export type TakeMonths = readonly SimulatedTake[]

type Random = () => number

type ChannelKind = {
  readonly name: string
  readonly rateHz: number
  /** The share of recordings that have this channel. */
  readonly presence?: number
  /** A person causes the messages, so their number varies. */
  readonly isSporadic?: boolean
  /** The channel carries pictures that Sluice checks. */
  readonly isPicture?: boolean
}

/** A simulated folder and its recorder. */
type Rig = {
  readonly format: Inspection['format']
  /** A recording without times, such as an HDF5 episode, has neither rates nor gaps. */
  readonly hasTimes: boolean
  readonly channels: readonly ChannelKind[]
  readonly name: (index: number, random: Random) => string
  readonly durationS: (random: Random, index: number) => number
  readonly bytesPerSecond: (random: Random) => number
  readonly faults: readonly Fault[]
  /** How often in six months someone changes the set-up on purpose. */
  readonly changes: number
}

const TAKES = 3_600
const FAULT_CHANCE = 0.01
const COVERED_CHANCE = 0.0005
const MAX_FAULT_RUN = 4

const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
const logNormal = (random: Random, median: number, sigma: number): number =>
  median * Math.exp(sigma * normal(random))
const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)]!

const robot: readonly ChannelKind[] = [
  { name: '/camera/wrist', rateHz: 30, isPicture: true },
  { name: '/camera/front', rateHz: 30, isPicture: true },
  { name: '/joint_states', rateHz: 100 },
  { name: '/imu', rateHz: 200 },
  { name: '/diagnostics', rateHz: 1 },
  { name: '/events', rateHz: 0.2, isSporadic: true, presence: 0.8 },
]
const channelFaults: readonly Fault[] = [
  'channel missing',
  'channel without messages',
  'channel stops early',
  'half the rate',
  'gap of seconds',
]

export const rigs = {
  'robot arm, MCAP': {
    format: 'mcap',
    hasTimes: true,
    channels: robot,
    name: (index) => `take_${String(index).padStart(5, '0')}.mcap`,
    durationS: (random) => logNormal(random, 45, 0.5),
    bytesPerSecond: (random) => logNormal(random, 2e7, 0.15),
    faults: [...channelFaults, 'stopped at once', 'cut off', 'black picture'],
    changes: 3,
  },
  'names typed by people': {
    format: 'mcap',
    hasTimes: true,
    channels: [...robot, { name: '/gripper', rateHz: 50, presence: 0.6 }],
    name: (_, random) =>
      `${pick(random, ['cup', 'door', 'shelf', 'box', 'drawer'])}_${random().toString(36).slice(2, 7)}.mcap`,
    durationS: (random) => logNormal(random, 90, 0.9),
    bytesPerSecond: (random) => logNormal(random, 2e7, 0.3),
    faults: [...channelFaults, 'cut off'],
    changes: 2,
  },
  'split every minute': {
    format: 'rosbag2',
    hasTimes: true,
    channels: robot,
    name: (index) => `drive_2026_${index >> 4}_${index & 15}.db3`,
    // The last file of a test drive is shorter.
    durationS: (random, index) => ((index & 15) === 15 ? 60 * random() : 60),
    bytesPerSecond: (random) => logNormal(random, 5e6, 0.2),
    faults: channelFaults,
    changes: 2,
  },
  'two cameras, MP4': {
    format: 'mp4',
    hasTimes: true,
    channels: [{ name: 'video.1', rateHz: 60 }],
    name: (index) => `${index % 2 === 0 ? 'wrist' : 'front'}-2026-11-${index >> 1}.mp4`,
    durationS: (random) => logNormal(random, 300, 0.6),
    bytesPerSecond: (random) => logNormal(random, 1e6, 0.35),
    faults: ['half the rate', 'gap of seconds', 'stopped at once', 'cut off', 'black picture'],
    changes: 2,
  },
  'episodes, HDF5': {
    format: 'hdf5',
    hasTimes: false,
    channels: [
      { name: '/action', rateHz: 50 },
      { name: '/observations/qpos', rateHz: 50 },
      { name: '/observations/images/top', rateHz: 50 },
    ],
    name: (index) => `episode_${index}.hdf5`,
    durationS: (random) => logNormal(random, 20, 0.3),
    bytesPerSecond: (random) => logNormal(random, 3e6, 0.1),
    faults: ['channel missing', 'channel without messages', 'stopped at once', 'cut off'],
    changes: 2,
  },
  'logger of unknown format': {
    format: 'other',
    hasTimes: false,
    channels: [],
    name: (index) => `log-${index}.bin`,
    durationS: (random) => logNormal(random, 600, 0.4),
    bytesPerSecond: (random) => logNormal(random, 1e5, 0.2),
    faults: ['stopped at once'],
    changes: 1,
  },
} as const satisfies Record<string, Rig>
export type RigName = keyof typeof rigs
export const rigNames = Object.keys(rigs) as RigName[]

/** A channel without a fault. It still has gaps, as in every recording. */
const goodChannel = (
  { name, rateHz, isSporadic = false, isPicture = false }: ChannelKind,
  durationS: number,
  random: Random,
): InspectedChannel => {
  const messages = isSporadic
    ? Math.max(1, Math.round(logNormal(random, rateHz * durationS, 0.8)))
    : Math.round(rateHz * durationS * (1 - 0.02 * random()))
  const largestGapS = isSporadic
    ? durationS * (0.3 + 0.6 * random())
    : Math.min(durationS, logNormal(random, 3 / rateHz, 0.7))
  // Sometimes a person covers a camera on purpose, which is not a fault.
  const signal = random() < COVERED_CHANCE ? 'black' : 'varies'
  return {
    name,
    type: null,
    messages,
    rateHz: messages / durationS,
    largestGapS,
    ...(isPicture ? { signal } : {}),
  }
}

const withFault = (
  fault: Fault,
  channel: InspectedChannel,
  durationS: number,
  random: Random,
): InspectedChannel | null => {
  const { messages, rateHz, largestGapS } = channel
  switch (fault) {
    case 'channel missing':
      return null
    case 'channel without messages':
      return { ...channel, messages: 0, rateHz: null, largestGapS: null }
    case 'channel stops early': {
      const share = 0.1 + 0.7 * random()
      const gapS = durationS * (1 - share)
      return {
        ...channel,
        messages: Math.round((messages ?? 0) * share),
        largestGapS: Math.max(largestGapS ?? 0, gapS),
      }
    }
    case 'half the rate':
      return { ...channel, messages: Math.round((messages ?? 0) / 2), rateHz: (rateHz ?? 0) / 2 }
    case 'gap of seconds': {
      const gapS = Math.min(durationS * 0.8, 4 + 6 * random())
      return { ...channel, messages: Math.round((messages ?? 0) * (1 - gapS / durationS)), largestGapS: gapS }
    }
    case 'black picture':
      return channel.signal === undefined ? channel : { ...channel, signal: 'black' }
    case 'stopped at once':
    case 'cut off':
      return channel
  }
}

/** Someone changes the set-up on purpose: a channel runs at half the rate, or is no longer recorded. */
const changed = (channels: readonly ChannelKind[], random: Random): readonly ChannelKind[] => {
  const steady = channels.filter(({ isSporadic }) => isSporadic !== true)
  if (steady.length === 0) return channels
  const chosen = pick(random, steady)
  return random() < 0.5 && steady.length > 2
    ? channels.filter((channel) => channel !== chosen)
    : channels.map((channel) => (channel === chosen ? { ...channel, rateHz: channel.rateHz / 2 } : channel))
}

const takeOf = (
  rig: Rig,
  channels: readonly ChannelKind[],
  index: number,
  fault: Fault | null,
  random: Random,
): SimulatedTake => {
  const plannedS = rig.durationS(random, index)
  const durationS = fault === 'stopped at once' ? Math.min(plannedS, 0.5 + random()) : plannedS
  const present = channels.filter(({ presence = 1 }) => random() < presence)
  const steady = present.filter(({ isSporadic, presence }) => isSporadic !== true && presence === undefined)
  const pictures = steady.filter(({ isPicture }) => isPicture)
  const candidates = fault === 'black picture' && pictures.length > 0 ? pictures : steady
  const failing = candidates.length === 0 ? null : pick(random, candidates)
  const inspected = present.flatMap((channel) => {
    const good = goodChannel(channel, durationS, random)
    return fault !== null && channel === failing ? (withFault(fault, good, durationS, random) ?? []) : [good]
  })
  // Sluice does not check the pictures of the MP4 rig, but a black video makes its files much smaller.
  const dark = fault === 'black picture' && pictures.length === 0 ? 0.04 : 1
  return {
    fault,
    take: {
      name: rig.name(index, random),
      sizeBytes: Math.round(rig.bytesPerSecond(random) * dark * durationS),
      inspection: {
        format: rig.format,
        completeness: fault === 'cut off' ? 'cut-off' : rig.format === 'other' ? 'unknown' : 'complete',
        startedAtMs: null,
        endedAtMs: null,
        durationS: rig.hasTimes ? durationS : null,
        channels: rig.hasTimes
          ? inspected
          : inspected.map((channel) => ({ ...channel, rateHz: null, largestGapS: null })),
        warnings: [],
      },
    },
  }
}

export const takeMonths = (name: RigName, random: Random, count = TAKES): TakeMonths => {
  const rig: Rig = rigs[name]
  // A change that is planned after the last recording never happens.
  const changes = Array.from({ length: rig.changes }, () => Math.floor(random() * Math.max(count, TAKES)))
  const changeAt = new Set(changes)
  let channels = rig.channels
  let run: { readonly fault: Fault; left: number } | null = null
  return Array.from({ length: count }, (_, index) => {
    if (changeAt.has(index)) channels = changed(channels, random)
    if (run === null && random() < FAULT_CHANCE)
      run = { fault: pick(random, rig.faults), left: 1 + Math.floor(random() * MAX_FAULT_RUN) }
    const fault = run?.fault ?? null
    if (run !== null && --run.left === 0) run = null
    return takeOf(rig, channels, index, fault, random)
  })
}
