import { pathsOf } from '../../shared/paths/paths.ts'
import { withManaged } from '../../shared/settings/managed-settings.ts'
import { isThere } from '../local-files/missing-rights.ts'
import { arrivingMark, movedMark, movedRefusal, readMark } from '../local-files/moved-station.ts'
import { isSandboxAddress, sandboxPort, tryOutFolder } from '../local-files/try-out.ts'
import type { CommandInput } from './program/command-input.ts'
import { readOwnSettings } from './settings-file.ts'
import { ownFileOf, readManagedStation } from './station-settings.ts'
import { printLine } from './terminal.ts'

type Input = Pick<CommandInput, 'data' | 'text'>

/** The address that the window of this station uses; null if its settings have no address or are unusable. */
const addressOf = (input: Input): string | null => {
  try {
    const ownSettings = readOwnSettings(ownFileOf(input))
    const { managed } = readManagedStation(input, ownSettings).state
    return withManaged(ownSettings.settings, managed).service?.base_url ?? null
  } catch {
    return null
  }
}

/** True if the station's service is the built-in sandbox. The agent then works in a separate folder. */
export const isTryOut = (input: Input): boolean => {
  const port = sandboxPort(input.data)
  if (port === null || !isThere(tryOutFolder(input.data))) return false
  const address = addressOf(input)
  return address !== null && isSandboxAddress(address, port)
}

/** The folder with the journal that the window shows: the folder of the try-out, or the data folder. */
export const journalFolder = (input: Input): string =>
  isTryOut(input) ? tryOutFolder(input.data) : input.data

/**
 * The folder with the journal, for a command that only reads. If `sluice service` has moved the station, this is the
 * new folder, and a line on stderr names it. Throws an Error for the user during a move.
 */
export const folderToRead = (input: Input): string => {
  const folder = journalFolder(input)
  const refusal = movedRefusal(folder)
  if (refusal === null) return folder
  const movedTo = readMark(movedMark(folder))
  const isArriving = readMark(arrivingMark(folder)) !== null
  if (isArriving || movedTo === null || !pathsOf(process.platform).isAbsolute(movedTo))
    throw new Error(refusal)
  // The station may have moved again since, or this move may be unfinished.
  const nextRefusal = movedRefusal(movedTo)
  if (nextRefusal !== null) throw new Error(nextRefusal)
  printLine(`The station of ${folder} has moved to ${movedTo}.`, process.stderr)
  return movedTo
}
