import { hostname } from 'node:os'
import path from 'node:path'
import type { Configuration } from '../../../shared/ipc/agent-protocol.ts'
import type { Clock } from '../ports/clock.ts'
import type { UpdateInstaller, UpdateWorld } from '../ports/updates.ts'
import { HttpUpdateSource } from '../service/update-source.ts'
import { chooseProxy } from '../station/service-connection.ts'
import type { Progress } from '../status/progress.ts'
import { releaseKeys } from '../update/release-keys.ts'

type Options = {
  readonly version: string | null
  readonly dataFolder: string
  readonly installer: UpdateInstaller | null
  readonly configuration: () => Configuration
  readonly progress: Pick<Progress, 'partsInFlight'>
  readonly clock: Clock
}

/** Connects the updater with the network and this PC. */
export const createUpdateWorld = (options: Options): UpdateWorld => {
  const { version, dataFolder, installer, configuration, progress, clock } = options
  const service = () => configuration().settings?.service
  return {
    program:
      version === null
        ? null
        : { version, system: process.platform, machine: process.arch, hostName: hostname() },
    installer,
    source: new HttpUpdateSource({
      proxy: () => chooseProxy(service()?.proxy ?? 'system', configuration().systemProxy),
      caFile: () => service()?.ca_file,
      clock,
    }),
    keys: () => {
      const { feedKey } = configuration()
      return feedKey == null ? releaseKeys : [feedKey]
    },
    folder: path.join(dataFolder, 'updates'),
    partsInFlight: () => progress.partsInFlight,
  }
}
