import { createInterface } from 'node:readline'

/**
 * Chromium repeats these lines if there is no D-Bus, as in a container or over ssh. They are useless, because the app
 * itself reports the missing tray and keychain.
 */
const DBUS_ERRORS = [
  /^\[[\d:/.]+:ERROR:dbus\/bus\.cc:\d+\] Failed to connect to the bus: /,
  /^\[[\d:/.]+:ERROR:dbus\/object_proxy\.cc:\d+\] Failed to call method: org\.freedesktop\.DBus\.NameHasOwner: /,
]

/**
 * Forwards each line of `from` to `to`, except Chromium's D-Bus errors.
 *
 * @param {import('node:stream').Readable} from
 * @param {NodeJS.WritableStream} to
 */
export const forwardWithoutDbusErrors = (from, to) =>
  void createInterface({ input: from, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    if (!DBUS_ERRORS.some((error) => error.test(line))) to.write(`${line}\n`)
  })
