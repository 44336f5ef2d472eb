import { afterEach, expect, test } from 'vitest'
import { type Failure, failed } from '../../../main/agent/domain/failure.ts'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { mapListedSessions } from '../../support/model/map-listed-sessions.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** After the loss of the journal, the list shows the session, but the service refuses to return the session itself. */

const SIZE = 30_000_000
const denials: readonly Failure[] = [
  { kind: 'not-found', message: 'gone', requestId: null },
  { kind: 'other-organisation', message: 'no', requestId: null },
]

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const isProcessed = () => model.recordings()[0]?.state === 'processed'

/** Denies the next `denialsLeft` reads of a session. `showsContent` tells whether the list has the SHA-256. */
const denySessions =
  (replica: { denialsLeft: number; denial: Failure; showsContent: boolean }) =>
  (client: ServiceClient): ServiceClient => ({
    ...client,
    retrieveSession: async (...args) => {
      if (replica.denialsLeft === 0) return client.retrieveSession(...args)
      replica.denialsLeft -= 1
      return failed(replica.denial)
    },
    listSessions: mapListedSessions(client, (session) =>
      replica.showsContent ? session : { ...session, sha256: null },
    ),
  })

const cases = denials.flatMap((denial) =>
  [true, false].map((showsContent) => [denial.kind, showsContent, denial] as const),
)

/** Uploads a recording and loses the journal. */
const openAndLoseJournal = async (denial: Failure, showsContent: boolean) => {
  const replica = { denialsLeft: 0, denial, showsContent }
  model = new ModelStation({ wrapClient: denySessions(replica) })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', SIZE)
  expect(await model.until(isProcessed)).toBe(true)
  model.loseJournal()
  return replica
}

test.each(cases)(
  'a listed session is found, even if the service first answers %s (SHA-256 listed: %s)',
  async (_, showsContent, denial) => {
    const replica = await openAndLoseJournal(denial, showsContent)
    replica.denialsLeft = 2
    expect(await model.until(isProcessed)).toBe(true)
    expect(replica.denialsLeft).toBe(0)
    expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
  },
)

test.each(cases)(
  'a listed session counts as lost if the service keeps answering %s (SHA-256 listed: %s)',
  async (_, showsContent, denial) => {
    const replica = await openAndLoseJournal(denial, showsContent)
    replica.denialsLeft = 1_000
    const startedAtMs = model.nowMs
    expect(await model.until(() => model.service.sessions.size === 2)).toBe(true)
    expect(model.nowMs - startedAtMs).toBeGreaterThan(denial.kind === 'not-found' ? 5 * 60_000 : 0)
    expect(model.nowMs - startedAtMs).toBeLessThan(3_600_000)
    replica.denialsLeft = 0
    expect(await model.until(isProcessed)).toBe(true)
  },
)
