import { createInterface } from 'node:readline'

/**
 * What Chromium says again and again where there is no D-Bus, as in a container or over ssh. Nothing is missing
 * for it: the app finds out by itself that there is no tray and no keychain, and says so.
 */
const NOISE = [
  /^\[[\d:/.]+:ERROR:dbus\/bus\.cc:\d+\] Failed to connect to the bus: /,
  /^\[[\d:/.]+:ERROR:dbus\/object_proxy\.cc:\d+\] Failed to call method: org\.freedesktop\.DBus\.NameHasOwner: /,
]

/**
 * Passes on all other lines.
 *
 * @param {import('node:stream').Readable} from
 * @param {NodeJS.WritableStream} to
 */
export const passWithoutBusNoise = (from, to) =>
  void createInterface({ input: from, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    if (!NOISE.some((noise) => noise.test(line))) to.write(`${line}\n`)
  })
