import { sampleRecordings } from '../../../sandbox/seed/sample-recordings.ts'
import { createIdMaker } from '../../../server/ids.ts'
import { orgs } from '../../../server/store/orgs.ts'
import { type Findings, sessions } from '../../../server/store/sessions.ts'
import { sha256 } from '../../contract/service.ts'
import type { LabService } from './lab-service.ts'

const stations = [
  { site: 'Hall 1', device: 'arm-left', channels: ['arm.joint.states', 'camera.front', 'force.torque'] },
  { site: 'Hall 1', device: 'arm-right', channels: ['arm.joint.states', 'camera.front'] },
  { site: 'Hall 3', device: 'mobile-base-02', channels: ['imu', 'lidar.front', 'odometry', 'camera.left'] },
  { site: 'Outdoor track', device: 'rover-7', channels: ['gnss', 'imu', 'lidar.top'] },
] as const

const hourMs = 3_600_000

/** Adds a week of sessions without bytes directly to the store, and uploads one real recording. */
export const fillLab = async (lab: LabService, count = 140): Promise<void> => {
  const now = lab.clock.now()
  let state = 7
  const makeId = createIdMaker((size) =>
    Buffer.from(
      Array.from({ length: size }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return state >>> 24
      }),
    ),
  )
  for (let n = count; n >= 1; n -= 1) {
    const station = stations[n % stations.length]!
    const createdAt = now - n * hourMs * 1.2
    const id = makeId('ses')
    const day = new Date(createdAt).toISOString().slice(0, 10)
    await lab.store.write(function* () {
      yield* sessions.insert({
        id,
        org_id: lab.orgId,
        site: station.site,
        device: station.device,
        filename: `${day}_${station.device}_run-${String(count - n + 1).padStart(4, '0')}.mcap`,
        bytes: 800_000_000 + (n % 9) * 1_310_000_000,
        sha256: sha256(Buffer.from(id)),
        part_size: 64_000_000,
        notes: n % 5 === 0 ? 'Gripper calibrated before this run.' : null,
        created_at: Math.floor(createdAt),
      })
      // The newest two are still uploading.
      if (n <= 2) return
      yield* sessions.startProcessing(id, Math.floor(createdAt + 9 * 60_000))
      yield* sessions.finish(
        id,
        Math.floor(createdAt + 11 * 60_000),
        findingsOf(n, createdAt, station.channels),
      )
    })
  }
  await lab.store.write(() => orgs.setQuota(lab.orgId, { max_bytes: 1_000_000_000_000, max_sessions: null }))
  const [sample] = await sampleRecordings(now)
  await lab.upload(sample!.bytes, {
    site: 'Hall 1',
    device: 'arm-left',
    filename: 'pick-and-place.mcap',
    notes: 'Two channels over 90 seconds.\nThe second camera was covered.',
  })
}

const findingsOf = (n: number, createdAt: number, channels: readonly string[]): Findings => ({
  status: n % 23 === 0 ? 'failed' : 'processed',
  recordedAt: createdAt - 2_400_000,
  durationS: 1_800 + (n % 7) * 130,
  channels,
  segmentCount: n % 23 === 0 ? 0 : 30 + (n % 7) * 2,
  issues:
    n % 23 === 0
      ? [{ code: 'file_truncated', severity: 'error', detail: 'The MCAP file is incomplete.' }]
      : n % 4 === 0
        ? [
            {
              code: 'clock_offset_estimated',
              severity: 'warning',
              detail: 'The recorder’s clock is ahead by at least 2.4 s.',
            },
          ]
        : [],
})
