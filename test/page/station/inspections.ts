import type { InspectedChannel, Inspection } from '../../../shared/status/inspection.ts'

/**
 * The inspection results of a ten-minute recording. Three results take turns: a good recording, a wrist camera that
 * stops halfway, and a black front camera.
 */

const DURATION_S = 600
const BUCKETS = 40

const createChannel = (
  name: string,
  type: string,
  rateHz: number,
  endS = DURATION_S,
  signal?: InspectedChannel['signal'],
): InspectedChannel => ({
  name,
  type,
  messages: rateHz * endS,
  rateHz,
  largestGapS: Math.max(1 / rateHz, DURATION_S - endS),
  timeline: Array.from({ length: BUCKETS }, (_, bucket) =>
    (bucket * DURATION_S) / BUCKETS < endS ? (rateHz * DURATION_S) / BUCKETS : 0,
  ),
  ...(signal === undefined ? {} : { signal }),
})

export const inspectionOf = (index: number, startedAtMs: number): Inspection => ({
  format: 'mcap',
  completeness: 'complete',
  startedAtMs,
  endedAtMs: startedAtMs + DURATION_S * 1000,
  durationS: DURATION_S,
  channels: [
    createChannel(
      '/camera/front',
      'sensor_msgs/msg/CompressedImage',
      30,
      DURATION_S,
      index % 3 === 2 ? 'black' : 'varies',
    ),
    createChannel(
      '/camera/wrist',
      'sensor_msgs/msg/CompressedImage',
      30,
      index % 3 === 1 ? 300 : DURATION_S,
      'varies',
    ),
    createChannel('/imu', 'sensor_msgs/msg/Imu', 200),
    createChannel('/joint_states', 'sensor_msgs/msg/JointState', 100),
    createChannel('/tf', 'tf2_msgs/msg/TFMessage', 50),
  ],
  warnings: [],
})
