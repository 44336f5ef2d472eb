import path from 'node:path'
import { describe, it } from 'vitest'
import { unreadableAnswers } from '../../support/second-service/bad-answers.ts'
import type { SecondServiceStation } from '../../support/second-service/second-service-station.ts'
import { withStation } from '../../support/second-service/with-station.ts'
import { sha256OfFile, until } from '../../support/station.ts'

const ANSWER_COUNT = 5

/** Writes different content under the same name. Returns both digests. */
const replaceContent = async (
  station: SecondServiceStation,
  file: string,
  bytes: number,
): Promise<string[]> => {
  const before = await sha256OfFile(file)
  station.record(path.basename(file), bytes)
  return [before, await sha256OfFile(file)]
}

const waitForNewContent = (station: SecondServiceStation, file: string, bytes: number): Promise<void> =>
  station.waitFor(
    ({ recordings }) => recordings.some((one) => one.path === file && one.bytes === bytes),
    () => 'the journal does not know the new content',
  )

/** Waits until the service has received `count` requests after the completion. */
const waitForRequests = (station: SecondServiceStation, count: number): Promise<boolean> =>
  until(
    `${count} unreadable answers`,
    async () =>
      (await station.service.requests(({ on, completed }) => on === 'control' && completed)).length >= count,
  )

const waitForCompletion = (station: SecondServiceStation): Promise<boolean> =>
  until('completed at the service', async () =>
    (await station.service.sessions()).some(({ completed }) => completed),
  )

const loseCompletion = { on: 'control', path: '/complete$', times: 1, effect: { kind: 'lose' } } as const
const hideOne = { on: 'control', filename: 'one', effect: unreadableAnswers['a web page'] } as const
const hideReads = { ...hideOne, method: 'GET' } as const
const hideCompletion = { ...hideOne, path: '/complete$' } as const

describe.concurrent('new content in a file never deletes the completed session of its old content', () => {
  it.each(Object.keys(unreadableAnswers) as (keyof typeof unreadableAnswers)[])(
    'while the recording is processing and every read of the session returns %s',
    (shape) =>
      withStation(async (station) => {
        const file = station.record('one.bin')
        await station.service.setFaults({
          on: 'control',
          method: 'GET',
          filename: 'one',
          effect: unreadableAnswers[shape],
        })
        const agent = station.run()
        await agent.waitForChange('processing', ({ state }) => state === 'processing')
        await waitForRequests(station, ANSWER_COUNT)
        const contents = await replaceContent(station, file, 30_000)
        await waitForNewContent(station, file, 30_000)
        await station.service.setFaults()
        await station.waitUntilProcessed()
        await station.expectSafe(contents)
      }),
  )

  it('if the answer to the completion is lost and every later answer is a web page', () =>
    withStation(async (station) => {
      const file = station.record('one.bin')
      await station.service.setFaults(loseCompletion, hideReads, hideCompletion)
      station.run()
      await waitForCompletion(station)
      await waitForRequests(station, ANSWER_COUNT)
      const contents = await replaceContent(station, file, 30_000)
      await station.service.setFaults()
      await waitForNewContent(station, file, 30_000)
      await station.waitUntilProcessed()
      await station.expectSafe(contents)
    }))

  it.each(['before the agent starts again', 'after five answers that are web pages'])(
    'if the agent is killed before the answer to the completion, and the file is replaced %s',
    (moment) =>
      withStation(async (station) => {
        const file = station.record('one.bin')
        await station.service.setFaults(loseCompletion, hideReads, hideCompletion)
        const first = station.run()
        await waitForCompletion(station)
        await first.kill()
        let contents: string[] = []
        if (moment === 'before the agent starts again') {
          contents = await replaceContent(station, file, 30_000)
          await station.service.setFaults()
          station.run()
        } else {
          station.run()
          await waitForRequests(station, ANSWER_COUNT)
          contents = await replaceContent(station, file, 30_000)
          await station.service.setFaults()
        }
        await waitForNewContent(station, file, 30_000)
        await station.waitUntilProcessed()
        await station.expectSafe(contents)
      }),
  )
})
