import { expect, test } from 'vitest'
import { startCommandFor, startRefusal } from '../../../../../main/shell/system/start-service.ts'

const lineFor = (platform: NodeJS.Platform, isUserService = false) => {
  const { program, args } = startCommandFor(platform, isUserService, { SystemRoot: 'C:\\Windows' })
  return [program, ...args].join(' ')
}

test('a window starts the service with the program of its system', () => {
  expect(lineFor('linux')).toBe('/usr/bin/systemctl start sluice.service')
  expect(lineFor('linux', true)).toBe('/usr/bin/systemctl --user start sluice.service')
  expect(lineFor('win32')).toBe('C:\\Windows\\System32\\schtasks.exe /Run /TN Sluice')
  expect(lineFor('darwin')).toBe('/bin/launchctl kickstart system/com.sluice.agent')
})

test('a user who may not start the service reads the command for an administrator', () => {
  const command = startCommandFor('win32', false, {})
  expect(startRefusal(command, 'ERROR: Access is denied.\r\n')).toBe(
    'The service could not be started: ERROR: Access is denied. An administrator can start it with: sluice service start',
  )
})
