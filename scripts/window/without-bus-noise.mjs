import { createInterface } from 'node:readline'

/**
 * Chromium repeats these lines if there is no D-Bus, as in a container or over ssh. The app itself reports the missing tray
 * and keychain.
 */
const NOISE = [
  /^\[[\d:/.]+:ERROR:dbus\/bus\.cc:\d+\] Failed to connect to the bus: /,
  /^\[[\d:/.]+:ERROR:dbus\/object_proxy\.cc:\d+\] Failed to call method: org\.freedesktop\.DBus\.NameHasOwner: /,
]

/**
 * Forwards all other lines.
 *
 * @param {import('node:stream').Readable} from
 * @param {NodeJS.WritableStream} to
 */
export const passWithoutBusNoise = (from, to) =>
  void createInterface({ input: from, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    if (!NOISE.some((noise) => noise.test(line))) to.write(`${line}\n`)
  })
