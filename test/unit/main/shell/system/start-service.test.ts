import { expect, test } from 'vitest'
import {
  isServiceMissing,
  type RunQuery,
  startCommandFor,
  startRefusal,
} from '../../../../../main/shell/system/start-service.ts'

const lineFor = (platform: NodeJS.Platform, isUserService = false) => {
  const { program, args } = startCommandFor(platform, isUserService, { SystemRoot: 'C:\\Windows' })
  return [program, ...args].join(' ')
}

test('a window starts the background service with `systemctl`, `schtasks` or `launchctl`', () => {
  expect(lineFor('linux')).toBe('/usr/bin/systemctl start sluice.service')
  expect(lineFor('linux', true)).toBe('/usr/bin/systemctl --user start sluice.service')
  expect(lineFor('win32')).toBe('C:\\Windows\\System32\\schtasks.exe /Run /TN Sluice')
  expect(lineFor('darwin')).toBe('/bin/launchctl kickstart system/com.sluice.agent')
})

test('a user who may not start the background service sees the command for an administrator', () => {
  const command = startCommandFor('win32', false, {})
  expect(startRefusal(command, 'ERROR: Access is denied.\r\n')).toBe(
    'The background service could not be started: ERROR: Access is denied. An administrator can start it with: sluice service start',
  )
})

test.each<[NodeJS.Platform, boolean, string, number, string, boolean]>([
  [
    'linux',
    false,
    '/usr/bin/systemctl show --property=LoadState sluice.service',
    0,
    'LoadState=not-found\n',
    true,
  ],
  [
    'linux',
    true,
    '/usr/bin/systemctl --user show --property=LoadState sluice.service',
    0,
    'LoadState=loaded\n',
    false,
  ],
  // If systemd is not running, the background service does not count as missing.
  ['linux', false, '/usr/bin/systemctl show --property=LoadState sluice.service', 1, '', false],
  // Node reports exit codes of Windows as unsigned numbers: 0x80070002 "not found" and 0x80070005 "access denied".
  ['win32', false, 'C:\\Windows\\System32\\schtasks.exe /Query /TN Sluice /HRESULT', 2_147_942_402, '', true],
  [
    'win32',
    false,
    'C:\\Windows\\System32\\schtasks.exe /Query /TN Sluice /HRESULT',
    2_147_942_405,
    '',
    false,
  ],
  ['win32', false, 'C:\\Windows\\System32\\schtasks.exe /Query /TN Sluice /HRESULT', 0, 'Sluice', false],
])(
  'a window checks whether the background service exists (%s, user: %s): %s answers %i %j',
  async (...row) => {
    const [platform, isUserService, line, code, out, isMissing] = row
    const run: RunQuery = async (program, args) => {
      expect([program, ...args].join(' ')).toBe(line)
      return { code, out }
    }
    expect(await isServiceMissing(isUserService, run, platform, { SystemRoot: 'C:\\Windows' })).toBe(
      isMissing,
    )
  },
)
