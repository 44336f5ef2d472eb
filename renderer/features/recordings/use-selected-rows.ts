import type { RecordingRow } from '../../../shared/status/status.ts'
import { ask } from '../../data/ask.ts'
import { useLoad } from '../../data/use-load.ts'
import type { RecordingPages } from './use-recording-pages.ts'

/** With more selected rows than this outside the loaded pages, the hook loads none of them. */
const MAX_LOADED_ROWS = 20

/**
 * The current state of the selected rows, so that the window offers only actions that still apply. Rows outside the
 * loaded pages are loaded by ID. Null if there are too many of them.
 */
export const useSelectedRows = (
  ids: ReadonlySet<number>,
  pages: Pick<RecordingPages, 'loadedRows'>,
  tick: number,
): readonly RecordingRow[] | null => {
  const listedRows = pages.loadedRows().filter(({ id }) => ids.has(id))
  const isLoadable = ids.size - listedRows.length <= MAX_LOADED_ROWS
  const listedIds = new Set(listedRows.map(({ id }) => id))
  const missingIds = isLoadable ? [...ids].filter((id) => !listedIds.has(id)) : []
  const { data } = useLoad(missingIds.length === 0 ? null : `${missingIds.join()} ${tick}`, () =>
    Promise.all(missingIds.map((id) => ask('getRecording', { id }))),
  )
  if (!isLoadable) return null
  const requestedRows = (data ?? []).flatMap((row) =>
    row !== null && missingIds.includes(row.id) ? [row] : [],
  )
  return [...listedRows, ...requestedRows]
}
