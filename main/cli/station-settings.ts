import path from 'node:path'
import { systemClock } from '../../shared/clock/clock.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { ServiceClient } from '../agent/ports/service.ts'
import { connectService } from '../agent/station/service-connection.ts'
import { isThere } from '../local-files/missing-rights.ts'
import { isSandboxAddress, sandboxPort } from '../local-files/try-out.ts'
import { managedFileOf } from '../managed/managed-file.ts'
import { ManagedStation } from '../managed/managed-station.ts'
import { storedAgentKey } from '../station-store/stored-agent-key.ts'
import type { CommandInput } from './program/command-input.ts'
import { effectiveSettings, type OwnSettings, readOwnSettings } from './settings-file.ts'
import { printLine } from './terminal.ts'

type Input = Pick<CommandInput<'settings' | 'managed'>, 'data' | 'text'>

export type StationSettings = {
  readonly settings: Settings
  readonly apiKey: string | null
  /**
   * Why there is no key: the key file is unusable, or only the window knows the key of the sandbox. Null if there is a
   * key, or if none was entered.
   */
  readonly keyProblem: string | null
  /** Warnings about settings that work, but probably not as intended. */
  readonly warnings: readonly string[]
}

/**
 * The station's own settings file: the file that `--settings` names, otherwise `settings.json` in the data folder. Null
 * if there is neither.
 */
export const ownFileOf = (input: Input): string | null => {
  const settingsOption = input.text('settings')
  if (settingsOption !== null) return settingsOption
  const defaultFile = path.join(input.data, 'settings.json')
  return isThere(defaultFile) ? defaultFile : null
}

/** The managed settings as an agent with this data folder sees them. Writes nothing to the folder. */
export const readManagedStation = (input: Input, ownSettings: OwnSettings): ManagedStation => {
  const managed = new ManagedStation({
    file: input.text('managed') ?? managedFileOf(process.platform, process.env),
    dataFolder: input.data,
    hasOwnService: () => ownSettings.settings.service !== undefined,
    clock: systemClock,
    log: () => {},
    onChange: () => {},
    maySave: false,
  })
  managed.read()
  return managed
}

/** Only the app's memory holds the key of the built-in sandbox. */
const SANDBOX_KEY_PROBLEM =
  'This station is being tried out, and only the window knows the key of the built-in sandbox. Use the window, or enter the address of your service there first.'

/** The settings that `run` would use. Throws an Error for the user if they are missing or unusable. */
export const stationSettings = (input: Input): StationSettings => {
  const file = ownFileOf(input)
  const ownSettings = readOwnSettings(file)
  const { managed, problem } = readManagedStation(input, ownSettings).state
  if (file === null && managed === null && problem === null)
    throw new Error(
      `This station is not set up yet: there are no settings in ${input.data}, and no managed settings. Name a file: --settings FILE`,
    )
  if (problem !== null && managed === null && ownSettings.settings.service === undefined)
    throw new Error(`The managed settings cannot be used. ${problem}`)
  const effective = effectiveSettings(ownSettings, managed, process.env)
  const warnings = [
    ...ownSettings.warnings,
    ...(problem === null
      ? []
      : [
          `The managed settings cannot be used${managed === null ? '' : '; the last good managed settings stay in effect'}. ${problem}`,
        ]),
  ]
  const { settings, problem: keyProblem } = effective
  const storedKey = keyProblem === null ? storedAgentKey(input.data, settings.service.base_url) : null
  const apiKey = effective.apiKey ?? storedKey
  const port = sandboxPort(input.data)
  const isSandbox = port !== null && isSandboxAddress(settings.service.base_url, port)
  const sandboxProblem = apiKey === null && isSandbox ? SANDBOX_KEY_PROBLEM : null
  return { settings, apiKey, keyProblem: keyProblem ?? sandboxProblem, warnings }
}

export const warn = (sentences: readonly string[]): void => {
  for (const sentence of sentences) printLine(`sluice: ${sentence}`, process.stderr)
}

/** Commands cannot open the keychain: the system unlocks it for the window only. */
export const NO_KEY_SENTENCE =
  'The API key is missing: put it into SLUICE_API_KEY, or into the file that service.api_key_file names. A key that was typed in the window is in this user’s keychain, which commands cannot open.'

/** For commands that print every message themselves. */
export const silentLog = { info: () => {}, warn: () => {}, error: () => {} }

/** Connects to the service with the settings of the station, calls `use`, and disconnects. */
export const withService = async <T>(
  { settings, apiKey, keyProblem }: StationSettings,
  use: (service: ServiceClient) => Promise<T>,
): Promise<T> => {
  if (apiKey === null) throw new Error(keyProblem ?? NO_KEY_SENTENCE)
  const service = connectService(
    settings.service,
    apiKey,
    { kind: 'unknown' },
    { clock: systemClock, random: Math.random, log: silentLog },
  )
  try {
    return await use(service)
  } finally {
    await service.close()
  }
}
