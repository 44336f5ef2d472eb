import type { Settings } from '../../../shared/settings/settings.ts'
import type { UpdateStatus } from '../../../shared/status/update-status.ts'
import type { Journal } from '../journal/journal.ts'

/**
 * What the journal stores about updates. After a restart, the updater needs it to repeat nothing and to refuse older
 * feeds.
 */
export type UpdateMemory = Omit<UpdateStatus, 'version'> & {
  /** The highest sequence number of a feed that this station has seen, for each set of keys. */
  readonly sequences: Readonly<Record<string, number>>
  /** A started installer whose result Sluice does not know yet. */
  readonly attempt: { readonly version: string; readonly startedAtMs: number } | null
}

const KEY = 'updates'

const emptyMemory: UpdateMemory = {
  mode: 'off',
  channel: 'stable',
  checkedAt: null,
  offered: null,
  lastResult: null,
  sequences: {},
  attempt: null,
}

export const readUpdateMemory = ({ activity }: Pick<Journal, 'activity'>): UpdateMemory => ({
  ...emptyMemory,
  ...activity.recall<Partial<UpdateMemory>>(KEY),
})

/** Writes only a change, because the updater runs every second. */
export const saveUpdateMemory = (
  journal: Pick<Journal, 'activity'>,
  change: Partial<UpdateMemory>,
): UpdateMemory => {
  const before = readUpdateMemory(journal)
  const after = { ...before, ...change }
  if (JSON.stringify(after) !== JSON.stringify(before)) journal.activity.remember(KEY, after)
  return after
}

/** Reads the status from the journal. Mode and channel come from the settings if these are known. */
export const updateStatus = (
  journal: Pick<Journal, 'activity'>,
  version: string | null,
  settings: Settings | null,
): UpdateStatus => {
  const { sequences: _sequences, attempt: _attempt, ...memory } = readUpdateMemory(journal)
  const { mode, channel } = settings?.updates ?? memory
  return { ...memory, version, mode, channel }
}
