import path from 'node:path'
import type { Settings } from '../../shared/settings/settings.ts'
import { systemClock } from '../agent/platform/system-clock.ts'
import type { ServiceClient } from '../agent/ports/service.ts'
import { connectService } from '../agent/station/service-connection.ts'
import { isThere } from '../local-files/missing-rights.ts'
import { managedFileOf } from '../managed/managed-file.ts'
import { ManagedStation } from '../managed/managed-station.ts'
import type { Typed } from './program/command-input.ts'
import { type OwnSettings, readOwnSettings, settingsInForce } from './settings-file.ts'
import { printLine } from './terminal.ts'

type Asked = Pick<Typed<'settings' | 'managed'>, 'data' | 'text'>

export type StationSettings = {
  readonly settings: Settings
  readonly apiKey: string | null
  /** Why the key that the settings name cannot be used; null if it can, or if they name none. */
  readonly keyProblem: string | null
  /** What is odd about them, in sentences; they hold all the same. */
  readonly warnings: readonly string[]
}

/** What the station has of its own: the file that was named, or the one that its window writes. */
export const ownFileOf = (typed: Asked): string | null => {
  const named = typed.text('settings')
  if (named !== null) return named
  const beside = path.join(typed.data, 'settings.json')
  return isThere(beside) ? beside : null
}

/** The managed settings as an agent of this data folder has them, without keeping anything in it. */
export const managedBeside = (typed: Asked, own: OwnSettings): ManagedStation => {
  const named = typed.text('managed')
  const managed = new ManagedStation({
    file: named ?? managedFileOf(process.platform, process.env),
    dataFolder: typed.data,
    hasOwnService: () => own.settings.service !== undefined,
    clock: systemClock,
    log: () => {},
    onChange: () => {},
    keeps: false,
  })
  managed.read()
  return managed
}

/** As `run` has them: the administrator's before the station's own. Throws a sentence where there are none. */
export const stationSettings = (typed: Asked): StationSettings => {
  const file = ownFileOf(typed)
  const own = readOwnSettings(file)
  const { managed, problem } = managedBeside(typed, own).now
  if (file === null && managed === null && problem === null)
    throw new Error(
      `This station is not set up yet: there are no settings in ${typed.data}, and no managed ones. Name a file: --settings FILE`,
    )
  if (problem !== null && managed === null && own.settings.service === undefined)
    throw new Error(`The managed settings cannot be used. ${problem}`)
  const inForce = settingsInForce(own, managed, process.env)
  const warnings = [
    ...own.warnings,
    ...(problem === null
      ? []
      : [
          `The managed settings cannot be used${managed === null ? '' : '; the last good ones hold'}. ${problem}`,
        ]),
  ]
  const { settings, apiKey, problem: keyProblem } = inForce
  return { settings, apiKey, keyProblem, warnings }
}

export const warn = (sentences: readonly string[]): void => {
  for (const sentence of sentences) printLine(`sluice: ${sentence}`, process.stderr)
}

/** The keychain of the window opens for the window alone. */
export const NO_KEY =
  'The API key is missing: put it into SLUICE_API_KEY, or into a file that the settings name (service.api_key_file). A key that was typed in the window is in this user’s keychain, which commands cannot open.'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** Asks the service this once, with the settings of the station. */
export const withService = async <T>(
  { settings, apiKey, keyProblem }: StationSettings,
  use: (service: ServiceClient) => Promise<T>,
): Promise<T> => {
  if (apiKey === null) throw new Error(keyProblem ?? NO_KEY)
  const service = connectService(
    settings.service,
    apiKey,
    { kind: 'unknown' },
    { clock: systemClock, random: Math.random, log: silent },
  )
  try {
    return await use(service)
  } finally {
    await service.close()
  }
}
