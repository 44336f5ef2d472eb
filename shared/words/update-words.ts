import type { UpdatePhase, UpdateStatus } from '../status/update-status.ts'

const phaseWords: Readonly<Record<UpdatePhase, string>> = {
  available: 'is available',
  downloading: 'is being downloaded',
  waiting: 'waits for a quiet moment',
  installing: 'is being installed',
}

/** "Version 1.0.0, channel stable. Version 1.1.0 is available. The last update, to 1.0.0, succeeded." */
export const updateWords = ({ version, mode, channel, offered, lastResult }: UpdateStatus): string =>
  [
    `Version ${version ?? 'unknown'}, channel ${channel}${mode === 'off' ? ', updates are off' : ''}.`,
    ...(offered === null ? [] : [`Version ${offered.version} ${phaseWords[offered.phase]}.`]),
    ...(lastResult === null
      ? []
      : [
          lastResult.ok
            ? `The last update, to ${lastResult.version}, succeeded.`
            : `The last update, to ${lastResult.version}, failed.`,
        ]),
  ].join(' ')
