import { expect } from 'vitest'
import { editKeepingTimes } from '../../support/faults/file-changes.ts'
import { mismatch } from '../../support/faults/refusal.ts'
import { testFault } from '../../support/faults/test-fault.ts'
import { PART, sha256OfFile, until } from '../../support/station.ts'

const gateway403 = {
  kind: 'answer',
  status: 403,
  body: '<html><body>Blocked by the web filter</body></html>',
} as const

testFault('url-expired', [], async ({ station }) => {
  const faultStation = await station()
  await faultStation.record('take.bin', 5 * PART)
  faultStation.proxy.rule = ({ part }) => ((part ?? 0) > 2 ? { kind: 'delay', ms: 1_000 } : null)
  faultStation.run()
  await faultStation.waitForJournaledParts(2)
  await faultStation.station.sandbox.control('POST', '/expire-urls')
  faultStation.proxy.rule = () => null
  await faultStation.waitForState('processed')
  const refused = faultStation.proxy.count(({ route, status }) => route === 'part' && status === 403)
  expect(Object.values((await faultStation.station.stats()).parts)).toEqual([
    { 1: 1, 2: 1, 3: 1, 4: 1, 5: 1 },
  ])
  return { 'PUTs refused': refused }
})

testFault('foreign-403', [], async ({ station }) => {
  const faultStation = await station()
  for (const name of ['a.bin', 'b.bin']) await faultStation.record(name, PART + 1)
  faultStation.proxy.rule = ({ listener }) => (listener === 'storage' ? gateway403 : null)
  faultStation.run()
  await faultStation.waitForCondition('storage-answer-unreadable')
  faultStation.proxy.rule = ({ listener }) => (listener === 'control' ? gateway403 : null)
  await faultStation.record('c.bin')
  await faultStation.waitForCondition('service-answer-unreadable')
  const pageAnswers = faultStation.proxy.count(({ status }) => status === 403)
  faultStation.proxy.rule = () => null
  return { 'answers with a page': pageAnswers }
})

testFault('etag-missing', [], async ({ station }) => {
  const faultStation = await station()
  await faultStation.record('take.bin', 3 * PART)
  let remaining = 2
  faultStation.proxy.rule = ({ route }) =>
    route === 'part' && remaining-- > 0 ? { kind: 'etag', etag: null } : null
  faultStation.run()
  await faultStation.waitForState('processed')
  const puts = faultStation.proxy.count(({ route }) => route === 'part')
  expect(puts).toBe(5)
  return { PUTs: puts }
})

testFault('etag-wrong', [], async ({ station }) => {
  const faultStation = await station()
  // After a `checksum_mismatch`, the agent trusts none of the ETags and sends all parts again.
  faultStation.allowed.resends = 'any'
  await faultStation.record('take.bin', PART + 1)
  let remaining = 1
  faultStation.proxy.rule = ({ route }) =>
    route === 'part' && remaining-- > 0 ? { kind: 'etag', etag: '"other"' } : null
  faultStation.run()
  await faultStation.waitForState('processed')
  expect(faultStation.proxy.count(({ route }) => route === 'create')).toBe(1)
  return { PUTs: faultStation.proxy.count(({ route }) => route === 'part') }
})

testFault('mismatch-unchanged', [], async ({ station }) => {
  const faultStation = await station()
  faultStation.allowed.resends = 'any'
  await faultStation.record('take.bin', PART + 1)
  let remaining = 1
  faultStation.proxy.rule = ({ route }) => (route === 'complete' && remaining-- > 0 ? mismatch : null)
  faultStation.run()
  await faultStation.waitForState('processed')
  expect(Object.values((await faultStation.station.stats()).parts)).toEqual([{ 1: 2, 2: 2 }])
  return { PUTs: faultStation.proxy.count(({ route }) => route === 'part') }
})

testFault('mismatch-changed', [], async ({ station }) => {
  const faultStation = await station()
  const file = await faultStation.record('take.bin', PART + 1)
  faultStation.proxy.rule = ({ route }) => (route === 'complete' ? { kind: 'hang' } : null)
  faultStation.run()
  await until(
    'completion is requested',
    () => faultStation.proxy.count(({ route }) => route === 'complete') > 0,
  )
  const [before] = await faultStation.station.sessions()
  const old = await sha256OfFile(file)
  let remaining = 1
  faultStation.proxy.rule = ({ route }) => {
    if (route !== 'complete' || remaining-- <= 0) return null
    // The edit comes right before the answer. If a scan found it earlier, Sluice would upload both versions.
    editKeepingTimes(file)
    return mismatch
  }
  await until('the old session is deleted', async () =>
    (await faultStation.station.sessions()).every(({ id }) => id !== before?.id),
  )
  expect(await sha256OfFile(file)).not.toBe(old)
  return { 'sessions created': faultStation.proxy.count(({ route }) => route === 'create') }
})
