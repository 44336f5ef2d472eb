import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerSchemas, connectionErrors, refusals } from '../support/fuzz/answers.ts'
import { agentCalls, callSchemas, shellCalls } from '../support/fuzz/calls.ts'
import { commandLine, headlessCommandLine } from '../support/fuzz/command-lines.ts'
import { bagDatabases } from '../support/fuzz/databases.ts'
import { type FuzzResult, type FuzzTarget, fuzz } from '../support/fuzz/fuzz-target.ts'
import { addresses, rawNames, recordingNames } from '../support/fuzz/names.ts'
import { redaction, redactionByValue } from '../support/fuzz/redaction.ts'
import { settingsFiles, settingsTexts, settingsValues } from '../support/fuzz/settings.ts'
import { webhookDeliveries, webhookReceiver } from '../support/fuzz/webhooks.ts'
import { chooseSeed } from '../support/seeded.ts'
import { openTempJournal, type TempJournal } from '../support/temp-journal.ts'

const MILLION = 1_000_000

let tempJournal: TempJournal
beforeAll(() => {
  tempJournal = openTempJournal(Date.now)
})
afterAll(() => tempJournal.close())

test('the entry points handle a million hostile inputs, each within a second, and reveal no secret', async () => {
  const seed = chooseSeed('hostile inputs')
  const results: FuzzResult[] = []
  const fuzzAndReport = async <T>(target: FuzzTarget<T>) => {
    console.log(`hostile inputs: ${target.name}`)
    const result = await fuzz(target, seed)
    console.log(JSON.stringify(result))
    results.push(result)
  }
  await fuzzAndReport(callSchemas(150_000))
  await fuzzAndReport(shellCalls(100_000))
  await fuzzAndReport(agentCalls(tempJournal.journal, 50_000))
  await fuzzAndReport(answerSchemas(100_000))
  await fuzzAndReport(refusals(150_000))
  await fuzzAndReport(connectionErrors(30_000))
  await fuzzAndReport(settingsValues(100_000))
  await fuzzAndReport(settingsTexts(50_000))
  await fuzzAndReport(settingsFiles(tempJournal.folder, 20_000))
  await fuzzAndReport(commandLine(100_000))
  await fuzzAndReport(headlessCommandLine(100_000))
  await fuzzAndReport(recordingNames(100_000))
  await fuzzAndReport(rawNames(30_000))
  await fuzzAndReport(addresses(100_000))
  await fuzzAndReport(bagDatabases(20_000))
  await fuzzAndReport(redaction(60_000))
  await fuzzAndReport(redactionByValue(30_000))
  await fuzzAndReport(webhookDeliveries(100_000))
  const receiver = webhookReceiver(20_000)
  await fuzzAndReport(receiver.target).finally(receiver.close)
  console.table(results)
  expect(results.reduce((sum, { inputs }) => sum + inputs, 0)).toBeGreaterThanOrEqual(MILLION)
})
