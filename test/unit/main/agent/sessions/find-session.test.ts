import { expect, test } from 'vitest'
import { done } from '../../../../../main/agent/domain/failure.ts'
import type { Recording } from '../../../../../main/agent/journal/journal.ts'
import type { ServiceClient } from '../../../../../main/agent/ports/service.ts'
import { SessionFinder } from '../../../../../main/agent/sessions/find-session.ts'

const NOW_MS = Date.UTC(2026, 10, 18)
const recording = {
  site: 'lab',
  name: 'take.bin',
  sha256: 'a'.repeat(64),
  identity: { sizeBytes: 1, mtimeNs: String(BigInt(NOW_MS) * 1_000_000n) },
  createKey: null,
  createKeyAtMs: null,
} as Recording

test('a search for a session does not read the list again if the measured clock offset decreases', async () => {
  let offsetMs = -1_000
  let walks = 0
  const service = {
    nowMs: () => NOW_MS + offsetMs,
    clockOffsetMs: () => offsetMs,
    listSessions: async () => {
      walks += 1
      return done({ value: { sessions: [], nextCursor: null }, requestId: null })
    },
  } as unknown as ServiceClient
  const clock = { wallMs: () => NOW_MS, monotonicMs: () => 0 }
  const finder = new SessionFinder({ clock, random: () => 0.5 })
  const search = { service, isFree: () => true, isLost: () => false, oldestMtimeMs: () => NOW_MS }
  for (const measuredMs of [-1_000, -1_500, -60_000]) {
    offsetMs = measuredMs
    expect((await finder.find(recording, search, new AbortController().signal)).ok).toBe(true)
  }
  expect(walks).toBe(1)
})
