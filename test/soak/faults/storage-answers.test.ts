import { expect } from 'vitest'
import { editKeepingTimes } from '../../support/faults/file-changes.ts'
import { play } from '../../support/faults/play.ts'
import { mismatch } from '../../support/faults/refusal.ts'
import { PART, sha256OfFile, until } from '../../support/station.ts'

const gateway403 = {
  kind: 'answer',
  status: 403,
  body: '<html><body>Blocked by the web filter</body></html>',
} as const

play('url-expired', [], async ({ station }) => {
  const one = await station()
  await one.record('take.bin', 5 * PART)
  one.proxy.rule = ({ part }) => ((part ?? 0) > 2 ? { kind: 'delay', ms: 1_000 } : null)
  one.run()
  await one.waitForJournaledParts(2)
  await one.station.sandbox.control('POST', '/expire-urls')
  one.proxy.rule = () => null
  await one.waitForState('processed')
  const refused = one.proxy.count(({ route, status }) => route === 'part' && status === 403)
  expect(Object.values((await one.station.stats()).parts)).toEqual([{ 1: 1, 2: 1, 3: 1, 4: 1, 5: 1 }])
  return { 'PUTs refused': refused }
})

play('foreign-403', [], async ({ station }) => {
  const one = await station()
  for (const name of ['a.bin', 'b.bin']) await one.record(name, PART + 1)
  one.proxy.rule = ({ listener }) => (listener === 'storage' ? gateway403 : null)
  one.run()
  await one.waitForCondition('storage-answer-unreadable')
  one.proxy.rule = ({ listener }) => (listener === 'control' ? gateway403 : null)
  await one.record('c.bin')
  await one.waitForCondition('service-answer-unreadable')
  const met = one.proxy.count(({ status }) => status === 403)
  one.proxy.rule = () => null
  return { 'pages met': met }
})

play('etag-missing', [], async ({ station }) => {
  const one = await station()
  await one.record('take.bin', 3 * PART)
  let left = 2
  one.proxy.rule = ({ route }) => (route === 'part' && left-- > 0 ? { kind: 'etag', etag: null } : null)
  one.run()
  await one.waitForState('processed')
  const puts = one.proxy.count(({ route }) => route === 'part')
  expect(puts).toBe(5)
  return { PUTs: puts }
})

play('etag-wrong', [], async ({ station }) => {
  const one = await station()
  // The agent cannot know which part is wrong, so it sends all of them again.
  one.allowed.resends = 'any'
  await one.record('take.bin', PART + 1)
  let left = 1
  one.proxy.rule = ({ route }) => (route === 'part' && left-- > 0 ? { kind: 'etag', etag: '"other"' } : null)
  one.run()
  await one.waitForState('processed')
  expect(one.proxy.count(({ route }) => route === 'create')).toBe(1)
  return { PUTs: one.proxy.count(({ route }) => route === 'part') }
})

play('mismatch-unchanged', [], async ({ station }) => {
  const one = await station()
  one.allowed.resends = 'any'
  await one.record('take.bin', PART + 1)
  let left = 1
  one.proxy.rule = ({ route }) => (route === 'complete' && left-- > 0 ? mismatch : null)
  one.run()
  await one.waitForState('processed')
  expect(Object.values((await one.station.stats()).parts)).toEqual([{ 1: 2, 2: 2 }])
  return { PUTs: one.proxy.count(({ route }) => route === 'part') }
})

play('mismatch-changed', [], async ({ station }) => {
  const one = await station()
  const file = await one.record('take.bin', PART + 1)
  one.proxy.rule = ({ route }) => (route === 'complete' ? { kind: 'hang' } : null)
  one.run()
  await until('completion is requested', () => one.proxy.count(({ route }) => route === 'complete') > 0)
  const [before] = await one.station.sessions()
  const old = await sha256OfFile(file)
  editKeepingTimes(file)
  expect(await sha256OfFile(file)).not.toBe(old)
  let left = 1
  one.proxy.rule = ({ route }) => (route === 'complete' && left-- > 0 ? mismatch : null)
  await until('the old session is deleted', async () =>
    (await one.station.sessions()).every(({ id }) => id !== before?.id),
  )
  return { 'sessions created': one.proxy.count(({ route }) => route === 'create') }
})
