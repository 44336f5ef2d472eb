import type { Journal } from '../../../main/agent/journal/journal.ts'

/** Writes to the journal that the after-upload rules moved or deleted the file. */
export const writeRemoval = (journal: Journal, id: number, movedTo: string | null): void => {
  const recording = journal.recordings.byId(id)
  if (recording === null) throw new Error(`no recording ${id}`)
  const action = movedTo === null ? 'delete' : 'move'
  journal.removals.intend(recording, {
    action,
    removalName: 'aside',
    target: movedTo,
    copy: null,
    early: false,
  })
  const removal = journal.removals.of(id)
  if (removal === null) throw new Error('no intent')
  journal.removals.finish(recording, { ...removal, requestId: 'req_01JX7VB2K8M4' })
}
