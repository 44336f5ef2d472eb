import { expect, test } from 'vitest'
import { type Failure, failed } from '../../../main/agent/domain/failure.ts'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { wholeDigest } from '../../support/model/content.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** Answers arrive late, the agent crashes, and a recorder rewrites its files, all at random moments. */

/** The first seed. `SLUICE_SEED` replaces it, and `SLUICE_SEEDS` sets how many seeds run. */
const SEED = 54

/** A private random generator, so that a seed always gives the same sequence. */
const randomFrom = (seed: number) => {
  let state = (seed * 2654435761) >>> 0
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0
    const mixed = Math.imul(state ^ (state >>> 13), 3266489917) >>> 0
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 4294967296
  }
}

const SIZES = [1, 30_000_000, 90_000_000, 200_000_000]
const failures: Failure[] = [
  { kind: 'timeout', origin: 'control', connected: true, detail: 'x' },
  { kind: 'network', origin: 'control', connected: true, detail: 'x' },
  { kind: 'service', origin: 'control', status: 503, retryAfterMs: null, message: '', requestId: null },
]

/** Runs one random sequence. Returns what went wrong, with the history of the run, or null if all is well. */
const runSeed = async (seed: number): Promise<string | null> => {
  const roll = randomFrom(seed)
  let isCalm = false
  let delayedCalls: { rounds: number; resume: () => void }[] = []
  const waitSometimes = async () => {
    if (isCalm || roll() > 0.15) return
    await new Promise<void>((resume) => delayedCalls.push({ rounds: 1 + Math.floor(roll() * 12), resume }))
  }
  const model = new ModelStation({
    random: roll,
    wrapClient: (client) => {
      const withDelays =
        <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
        async (...args: A): Promise<R> => {
          // An abort takes effect at once.
          const signal = args
            .map((arg) => (arg instanceof AbortSignal ? arg : (arg as { signal?: AbortSignal })?.signal))
            .find((arg) => arg instanceof AbortSignal)
          const cancelled = new Promise<R>((resolve) => {
            const end = () => resolve(failed({ kind: 'cancelled' }) as R)
            if (signal?.aborted) end()
            signal?.addEventListener('abort', end, { once: true })
          })
          const work = (async () => {
            await waitSometimes()
            const answer = await call(...args)
            await waitSometimes()
            return answer
          })()
          return Promise.race([cancelled, work])
        }
      return {
        ...client,
        createSession: withDelays(client.createSession),
        retrieveSession: withDelays(client.retrieveSession),
        completeSession: withDelays(client.completeSession),
        deleteSession: withDelays(client.deleteSession),
        sendPart: withDelays(client.sendPart),
      } satisfies ServiceClient
    },
  })
  model.service.fate = (call) => {
    if (isCalm || call === 'part' || roll() > 0.08) return { kind: 'answered' }
    return { kind: roll() < 0.5 ? 'lost' : 'refused', failure: failures[Math.floor(roll() * 3)]! }
  }
  const log: string[] = []
  let version = 0
  const files = [0, 1].map((n) => `${FOLDER}/t${n}.bin`)
  const contents = new Map<string, [string, number]>()
  const write = (file: string, isNew: boolean) => {
    const previous = contents.get(file)
    const next: [string, number] =
      isNew || previous === undefined ? [`c${seed}-${version++}`, SIZES[Math.floor(roll() * 4)]!] : previous
    contents.set(file, next)
    model.drive.write(file, ...next)
    log.push(`${isNew ? 'write' : 'touch'} ${file} ${next}`)
    model.hint()
  }
  for (const file of files) write(file, true)
  try {
    for (let n = 0; n < 150; n += 1) {
      const chance = roll()
      if (chance < 0.04) write(files[Math.floor(roll() * 2)]!, true)
      else if (chance < 0.08) write(files[Math.floor(roll() * 2)]!, false)
      else if (chance < 0.1) {
        log.push('kill')
        delayedCalls = []
        model.restart()
      }
      await model.round()
      await model.pass(roll() < 0.2 ? 31_000 : 700)
      delayedCalls = delayedCalls.filter((delayed) => {
        delayed.rounds -= 1
        if (delayed.rounds <= 0) delayed.resume()
        return delayed.rounds > 0
      })
    }
    isCalm = true
    for (const { resume } of delayedCalls) resume()
    delayedCalls = []
    const isFinished = () =>
      model.recordings().every(({ state }) => ['processed', 'gone', 'failed'].includes(state)) &&
      model.journal.givenUp.count().all === 0 &&
      files.every((file) =>
        model
          .recordings()
          .some(
            (row) => row.path === file && row.current && row.sha256 === wholeDigest(contents.get(file)![0]),
          ),
      )
    const hasFinished = await model.until(isFinished, 400)
    const rows = model
      .recordings()
      .map(({ path, state, current, problem, sessionId, sha256 }) => [
        path,
        state,
        current,
        problem?.code,
        sessionId,
        sha256?.slice(0, 6),
      ])
    const sessions = [...model.service.sessions.values()].map(({ id, status, request }) => [
      id,
      status,
      request.sha256.slice(0, 6),
    ])
    const story = JSON.stringify(
      {
        unprocessed: model
          .recordings()
          .filter(({ state }) => state !== 'processed')
          .map(({ id }) => model.journal.views.timeline(id).map(({ to, reason }) => `${to}: ${reason}`)),
        rows,
        sessions,
        log,
        deletions: model.service.deletions,
      },
      null,
      0,
    )
    if (model.bugs.length > 0) return `a stage threw: ${model.bugs[0]} ${story}`
    if (model.service.deletions.some(({ wasComplete }) => wasComplete))
      return `a complete session was deleted: ${story}`
    if (!hasFinished) return `a recording never finished: ${story}`
    for (const file of files) {
      const sha256 = wholeDigest(contents.get(file)![0])
      const count = model.service.completeSessions().filter(({ request }) => request.sha256 === sha256).length
      if (count !== 1) return `${count} complete sessions for ${file}: ${story}`
    }
    if (model.recordings().some(({ state }) => state === 'failed')) return `a recording failed: ${story}`
    if (sessions.some(([, status]) => status === 'uploading')) return `a session was left open: ${story}`
    return null
  } finally {
    model.close()
  }
}

test('late answers, crashes and rewrites leave one complete session per file and none open', async () => {
  const first = Number(process.env.SLUICE_SEED ?? SEED)
  const count = Number(process.env.SLUICE_SEEDS ?? 1)
  for (let seed = first; seed < first + count; seed += 1)
    expect(await runSeed(seed), `SLUICE_SEED=${seed}`).toBeNull()
}, 280_000)
