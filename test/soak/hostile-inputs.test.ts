import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerSchemas, brokenLines, refusals } from '../support/fuzz/answers.ts'
import { agentCalls, callSchemas, shellCalls } from '../support/fuzz/calls.ts'
import { commandLine, headlessCommandLine } from '../support/fuzz/command-lines.ts'
import { type Door, type Knocked, knockAt } from '../support/fuzz/fuzz-target.ts'
import { addresses, rawNames, recordingNames } from '../support/fuzz/names.ts'
import { redaction, redactionByValue } from '../support/fuzz/redaction.ts'
import { settingsFiles, settingsTexts, settingsValues } from '../support/fuzz/settings.ts'
import { webhookDeliveries, webhookDoor } from '../support/fuzz/webhooks.ts'
import { chooseSeed } from '../support/seeded.ts'
import { openTempJournal, type TempJournal } from '../support/temp-journal.ts'

const MILLION = 1_000_000

let opened: TempJournal
beforeAll(() => {
  opened = openTempJournal(Date.now)
})
afterAll(() => opened.close())

test('each entry point answers or refuses a million hostile inputs, each within a second, and reveals no secret', async () => {
  const seed = chooseSeed('doors')
  const knocked: Knocked[] = []
  const knock = async <T>(door: Door<T>) => {
    console.log(`doors: ${door.name}`)
    const result = await knockAt(door, seed)
    console.log(JSON.stringify(result))
    knocked.push(result)
  }
  await knock(callSchemas(150_000))
  await knock(shellCalls(100_000))
  await knock(agentCalls(opened.journal, 50_000))
  await knock(answerSchemas(100_000))
  await knock(refusals(150_000))
  await knock(brokenLines(30_000))
  await knock(settingsValues(100_000))
  await knock(settingsTexts(50_000))
  await knock(settingsFiles(opened.folder, 20_000))
  await knock(commandLine(100_000))
  await knock(headlessCommandLine(100_000))
  await knock(recordingNames(100_000))
  await knock(rawNames(30_000))
  await knock(addresses(100_000))
  await knock(redaction(60_000))
  await knock(redactionByValue(30_000))
  await knock(webhookDeliveries(100_000))
  const receiver = webhookDoor(20_000)
  await knock(receiver.door).finally(receiver.close)
  console.table(knocked)
  expect(knocked.reduce((sum, { inputs }) => sum + inputs, 0)).toBeGreaterThanOrEqual(MILLION)
})
