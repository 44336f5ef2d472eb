import { expect, test } from 'vitest'
import { launchDaemon } from '../../../../../main/cli/service/service-files.ts'
import { judgeDaemon, judgeTask } from '../../../../../main/cli/service/service-findings.ts'

const task = {
  account: 'LOCAL SERVICE',
  isEnabled: true,
  startsAtBoot: true,
  lastRun: '18.11.2026 02:00:00',
  lastResult: '267009',
}

test('`doctor` shows the account and the last start of the Windows task', () => {
  expect(judgeTask(task)).toEqual({
    verdict: 'pass',
    sentence: 'The task Sluice starts at boot under LOCAL SERVICE. Last start: 18.11.2026 02:00:00.',
    next: null,
  })
})

test.each([
  ['is not registered', { failure: 'not-registered', detail: '' }, 'sluice service install'],
  ['is disabled', { ...task, isEnabled: false }, '/ENABLE'],
  ['no longer starts at boot', { ...task, startsAtBoot: false }, 'sluice service install'],
  ['ended with result 3', { ...task, lastResult: '3' }, 'log'],
] as const)('`doctor` warns if the task %s', (sentence, found, next) => {
  expect(judgeTask(found)).toEqual({
    verdict: 'warn',
    sentence: expect.stringContaining(sentence),
    next: expect.stringContaining(next),
  })
})

test('`doctor` does not report the task as missing if `schtasks` fails for another reason', () => {
  expect(judgeTask({ failure: 'denied', detail: 'Access is denied.' })).toMatchObject({
    verdict: 'skip',
    sentence: expect.stringContaining('may not read the task'),
  })
  expect(judgeTask({ failure: 'unknown', detail: 'schtasks.exe did not answer within 10 s.' })).toMatchObject(
    {
      verdict: 'warn',
      sentence: 'Windows did not report the task Sluice. (schtasks.exe did not answer within 10 s.)',
    },
  )
})

const plist = launchDaemon({
  program: ['/Applications/Sluice.app/Contents/MacOS/Sluice', '--'],
  dataFolder: '/Library/Application Support/Sluice/data',
  account: 'sluice',
  group: null,
  keyFile: null,
  runsAsNode: false,
})

test.each([
  [
    'no file',
    null,
    { code: 0, out: '' },
    'warn',
    'There is no /Library/LaunchDaemons/com.sluice.agent.plist',
  ],
  ['not loaded', plist, { code: 113, out: '' }, 'warn', 'has not loaded it'],
  ['failed', plist, { code: 0, out: 'last exit code = 1' }, 'warn', 'ended with code 1'],
  ['running', plist, { code: 0, out: 'state = running\nlast exit code = 0' }, 'pass', 'under sluice'],
  [
    'started for the first time',
    plist,
    { code: 0, out: 'last exit code = (never exited)' },
    'pass',
    'under sluice',
  ],
] as const)('`doctor` checks the LaunchDaemon of macOS: %s', (_, file, answer, verdict, sentence) => {
  const finding = judgeDaemon(file, () => ({ err: '', ...answer }))
  expect(finding).toMatchObject({ verdict, sentence: expect.stringContaining(sentence) })
})
