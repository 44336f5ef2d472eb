import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { identifyFile } from '../../main/agent/platform/files/file-inspect.ts'
import { createHashPool } from '../../main/agent/platform/hashing/hash-pool.ts'

/** What hashing a sparse 20 GB file costs the process that asks for it. */
const sizeBytes = 20_000_000_000

const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-memory-'))
const pool = createHashPool()
try {
  const path = join(folder, 'sparse.wav')
  await writeFile(path, '')
  await truncate(path, sizeBytes)
  const identity = await identifyFile(path)
  if (!identity.ok) throw new Error(identity.failure.kind)
  const idleMb = process.memoryUsage.rss() / 1e6
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  let reports = 0
  const startedMs = performance.now()
  const outcome = await pool.hash({
    path,
    identity: identity.value,
    partSizeBytes: 64 * 1024 * 1024,
    onProgress: () => {
      reports += 1
    },
    signal: new AbortController().signal,
  })
  const seconds = (performance.now() - startedMs) / 1000
  delay.disable()
  console.log({
    ok: outcome.ok,
    seconds: Math.round(seconds),
    megabytesPerSecond: Math.round(sizeBytes / 1e6 / seconds),
    idleRssMb: Math.round(idleMb),
    peakRssMb: Math.round(process.resourceUsage().maxRSS / 1000),
    eventLoopDelayP99Ms: (delay.percentile(99) / 1e6).toFixed(1),
    eventLoopDelayMaxMs: (delay.max / 1e6).toFixed(1),
    progressReports: reports,
  })
} finally {
  await pool.close()
  await rm(folder, { recursive: true })
}
