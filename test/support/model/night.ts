import { existsSync } from 'node:fs'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import { policyRows } from '../../../scripts/docs/failure-examples.ts'
import { wholeDigest } from './content.ts'
import { canBeLost, isControl, isFile, isStorage, isTemporary } from './failure-kinds.ts'
import type { FileCall } from './files.ts'
import type { ServiceCall } from './service.ts'
import { FOLDER, ModelStation } from './station.ts'

const HOUR_MS = 3_600_000
const STEP_MS = 20_000
/** Recordings and faults come before this time. The rest of the night is calm. */
const CALM_FROM_MS = 21 * HOUR_MS
const NIGHT_MS = 24 * HOUR_MS
const SIZES = [1, 8_000_001, 30_000_000, 90_000_000, 2_000_000_000]

/** On Linux, the journal is in memory: a real disk would only make the simulation slower. */
const MEMORY_FOLDER = '/dev/shm'

const PLACES = [
  { at: ['create', 'retrieve', 'complete', 'list', 'delete'] as readonly ServiceCall[], fits: isControl },
  { at: ['part'] as readonly ServiceCall[], fits: isStorage },
  { at: ['identify', 'inspect', 'open', 'read', 'hash'] as readonly FileCall[], fits: isFile },
] as const

type Trouble = {
  readonly at: ServiceCall | FileCall
  readonly failure: Failure
  readonly isLost: boolean
  readonly probability: number
  readonly untilMs: number
}

export type NightReport = {
  readonly recordings: number
  readonly rewritten: number
  readonly troubles: number
  readonly kindsOfFailure: number
  readonly failuresMet: number
  readonly kills: number
  readonly clockJumps: number
  readonly lastProcessedAtHour: number
  readonly broken: readonly string[]
}

/** Simulates a night of 24 hours on the model's clock. `random` determines everything that happens in it. */
export const simulateNight = async (recordings: number, random: () => number): Promise<NightReport> => {
  const model = new ModelStation({ random, ...(existsSync(MEMORY_FOLDER) ? { parent: MEMORY_FOLDER } : {}) })
  const startMs = model.nowMs
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const troubles: Trouble[] = []
  const kinds = new Set<string>()
  const counts = { rewritten: 0, troubles: 0, failuresMet: 0, kills: 0, clockJumps: 0 }
  let isKilled = false
  let writtenCount = 0

  const startTrouble = () => {
    const place = pick(PLACES)
    const failure = pick(
      policyRows
        .map((row) => row.failure)
        .filter((candidate) => isTemporary(candidate) && place.fits(candidate)),
    )
    kinds.add(failure.kind)
    counts.troubles += 1
    troubles.push({
      at: pick<ServiceCall | FileCall>(place.at),
      failure,
      isLost: random() < 0.5,
      probability: random(),
      untilMs: Math.min(model.nowMs + 10_000 + random() ** 3 * 2 * HOUR_MS, startMs + CALM_FROM_MS),
    })
  }
  const findTrouble = (at: ServiceCall | FileCall): Trouble | undefined => {
    const trouble = troubles.find(
      (trouble) => trouble.at === at && model.nowMs < trouble.untilMs && random() < trouble.probability,
    )
    if (trouble !== undefined) counts.failuresMet += 1
    return trouble
  }
  model.service.fate = (call) => {
    if (isKilled) return { kind: 'never' }
    const trouble = findTrouble(call)
    if (trouble === undefined) return { kind: 'answered' }
    const { failure, isLost } = trouble
    return { kind: isLost && canBeLost(failure) ? 'lost' : 'refused', failure }
  }
  model.drive.fate = (call) => (isKilled ? 'never' : (findTrouble(call)?.failure ?? null))

  const pathOf = (n: number) => `${FOLDER}/take-${n}.bin`
  const applyEvents = (passedMs: number) => {
    while (writtenCount < recordings && passedMs >= (writtenCount / recordings) * CALM_FROM_MS) {
      model.drive.write(pathOf(writtenCount), `take ${writtenCount}`, pick(SIZES))
      writtenCount += 1
    }
    if (passedMs >= CALM_FROM_MS) {
      model.wallShiftMs = 0
      return
    }
    if (random() < 0.06) startTrouble()
    if (random() < 0.01) isKilled = true
    if (random() < 0.004) {
      counts.clockJumps += 1
      model.wallShiftMs = pick([0, NIGHT_MS, -NIGHT_MS])
    }
    if (random() < 0.01 && writtenCount > 0) {
      const n = Math.floor(random() * writtenCount)
      counts.rewritten += 1
      model.drive.write(pathOf(n), `take ${n}, version ${counts.rewritten}`, pick(SIZES))
    }
  }

  const unfinishedRows = () =>
    model.recordings().filter(({ state }) => state !== 'processed' && state !== 'gone')
  let lastMs = 0
  try {
    for (let passedMs = 0; passedMs < NIGHT_MS; passedMs += STEP_MS) {
      applyEvents(passedMs)
      await model.round()
      if (isKilled) {
        isKilled = false
        counts.kills += 1
        model.restart()
      }
      await model.pass(STEP_MS)
      if (passedMs >= CALM_FROM_MS && unfinishedRows().length > 0) lastMs = passedMs
    }
    return {
      recordings,
      ...counts,
      kindsOfFailure: kinds.size,
      lastProcessedAtHour: Math.round((Math.max(lastMs, CALM_FROM_MS) / HOUR_MS) * 10) / 10,
      broken: findBrokenPromises(model),
    }
  } finally {
    model.close()
  }
}

const findBrokenPromises = (model: ModelStation): string[] => {
  const rows = model.recordings()
  const unfinished = rows
    .filter(({ state }) => state !== 'processed' && state !== 'gone')
    .map(({ path, state, problem }) => `${path} is ${state} (${problem?.code})`)
  const wrongSessions = model.drive.paths().flatMap((file) => {
    const sha256 = wholeDigest(model.drive.contentOf(file) ?? '')
    const fileSessions = model.service.completeSessions().filter(({ request }) => request.sha256 === sha256)
    return fileSessions.length === 1 ? [] : [`${fileSessions.length} complete sessions for ${file}`]
  })
  const openSessions = [...model.service.sessions.values()].filter(({ status }) => status === 'uploading')
  const deletedSessions = model.service.deletions.filter(({ wasComplete }) => wasComplete)
  return [
    ...model.bugs,
    ...unfinished,
    ...wrongSessions,
    ...openSessions.map(({ request }) => `a session of ${request.filename} was left open`),
    ...deletedSessions.map(({ id }) => `the complete session ${id} was deleted`),
  ]
}
