import path from 'node:path'
import { sha256OfFile, until } from '../station.ts'
import type { FaultStation } from './fault-station.ts'

type Session = { readonly id: string; readonly status: string; readonly sha256: string }
type Row = {
  readonly path: string
  readonly state: string
  readonly sha256: string
  readonly current: number
}

/** Only limits a broken run. */
const longestMs = 900_000

/** Waits until nothing is left to do. The fault is over, and no user helps. */
const settled = async (of: FaultStation, files: readonly string[]): Promise<void> => {
  const open = () =>
    of
      .rows<{ path: string; state: string; code: string | null }>(
        "SELECT path, state, problem_code AS code FROM recordings WHERE state NOT IN ('processed', 'gone')",
      )
      .filter((row) => !of.allowed.deletedFiles.includes(row.path))
  let unfinished = ''
  const known = async () => {
    const left = open()
    const safe = new Set(
      of
        .rows<Row>("SELECT path FROM recordings WHERE state = 'processed' AND current = 1")
        .map((row) => row.path),
    )
    const missing = files.filter((file) => !safe.has(file))
    unfinished = [
      ...left.map(({ path: file, state, code }) => `${path.basename(file)} is ${state} (${code})`),
      ...missing.map((file) => `${path.basename(file)} is not safe`),
    ]
      .slice(0, 10)
      .join('; ')
    const givenUp = of.rows('SELECT 1 FROM unsettled_creations').length
    return left.length === 0 && missing.length === 0 && givenUp === 0
  }
  await until('all recordings are processed', known, longestMs).catch((error: Error) => {
    throw new Error(`${error.message}: ${unfinished}\n${of.allOutput().slice(-3_000)}`)
  })
}

/**
 * The promises after every fault: one complete session per revision of a recording, with the bytes of the file. No
 * acknowledged part is sent twice, and no secret is in a log. Everything is processed, and nothing needs attention.
 */
export const brokenPromises = async (of: FaultStation): Promise<string[]> => {
  const files = of.files().filter((file) => !of.allowed.deletedFiles.includes(file))
  await settled(of, files)
  const broken: string[] = []
  const sessions = (await of.station.sessions()) as unknown as Session[]
  const byContent = Map.groupBy(sessions, ({ sha256 }) => sha256)
  const contents = [...of.allowed.formerContents]
  for (const file of files) {
    const sha256 = await sha256OfFile(file)
    contents.push(sha256)
    const own = (byContent.get(sha256) ?? []).filter(
      ({ status }) => !(of.allowed.openSessions && status === 'uploading'),
    )
    if (own.length !== 1) broken.push(`${own.length} sessions for ${path.basename(file)}`)
    for (const { id, status } of own) {
      if (status !== 'processed') broken.push(`the session of ${path.basename(file)} is ${status}`)
      else if ((await of.station.stored(id)).sha256 !== sha256)
        broken.push(`the service has other bytes of ${path.basename(file)}`)
    }
  }
  const known = new Set(contents)
  const extra = sessions.filter(({ sha256 }) => !known.has(sha256))
  if (extra.length > 0)
    broken.push(`sessions without a recording: ${extra.map(({ status }) => status).join(', ')}`)
  if (of.resent.length > 0) broken.push(`acknowledged parts sent again: ${of.resent.join(', ')}`)
  return [...broken, ...secretsIn(of), ...(await helpWanted(of))]
}

const secretsIn = (of: FaultStation): string[] => {
  const output = of.allOutput()
  // A set lookup instead of a text search: thirty thousand searches in twenty megabytes take a quarter of an hour.
  const digests = new Set(output.match(/[0-9a-f]{64}/g))
  const found =
    Object.values(of.station.sandbox.keys).filter((key) => output.includes(key)).length +
    [...of.proxy.signatures].filter((signature) => digests.has(signature)).length
  return found === 0 ? [] : [`${found} secrets in the logs`]
}

/** A condition that has ended disappears at its next check at the latest. */
const helpWanted = async (of: FaultStation): Promise<string[]> => {
  const problem = async () => (await of.station.status()).station.problem
  const ended = await until('no condition is left', async () => (await problem()) === null, 120_000).catch(
    () => false,
  )
  const held = of
    .rows<{ path: string; code: string }>(
      "SELECT path, problem_code AS code FROM recordings WHERE problem_code IS NOT NULL AND state <> 'gone'",
    )
    .filter((row) => !of.allowed.deletedFiles.includes(row.path))
  return [
    ...(ended === false ? [`the station still says ${(await problem())?.code}`] : []),
    ...held.map(({ code }) => `a recording is still held by ${code}`),
  ]
}
