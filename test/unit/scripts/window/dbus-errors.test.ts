import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { forwardWithoutDbusErrors } from '../../../../scripts/window/dbus-errors.mjs'

const DBUS_ERRORS = [
  '[5097:1115/130957.309165:ERROR:dbus/bus.cc:405] Failed to connect to the bus: Failed to connect to socket /run/dbus/system_bus_socket: No such file or directory',
  '[5097:1115/130957.309245:ERROR:dbus/bus.cc:405] Failed to connect to the bus: Could not parse server address: Unknown address type (examples of valid types are "tcp" and on UNIX "unix")',
  '[5097:1115/130957.877592:ERROR:dbus/object_proxy.cc:572] Failed to call method: org.freedesktop.DBus.NameHasOwner: object_path= /org/freedesktop/DBus: unknown error type: ',
]
const OTHER_LINES = [
  'sluice: cannot write to the data folder.',
  '',
  '[5097:1115/131003.075330:FATAL:electron/shell/browser/electron_browser_main_parts.cc:524] Failed to shutdown.',
  '[5097:1115/130957.9:ERROR:dbus/object_proxy.cc:572] Failed to call method: org.freedesktop.portal.Settings.Read',
  'a test that quotes it: Failed to connect to the bus: no',
  'the last line, without a line break',
]

test('drops only errors about a missing D-Bus from the app’s stderr', async () => {
  const [from, to] = [new PassThrough(), new PassThrough()]
  const forwarded = text(to)
  forwardWithoutDbusErrors(from, to)
  from.end(
    [
      DBUS_ERRORS[0],
      OTHER_LINES[0],
      DBUS_ERRORS[1],
      ...OTHER_LINES.slice(1, 3),
      DBUS_ERRORS[2],
      ...OTHER_LINES.slice(3),
    ].join('\n'),
  )
  await once(from, 'close')
  to.end()
  expect(await forwarded).toBe(`${OTHER_LINES.join('\n')}\n`)
})
