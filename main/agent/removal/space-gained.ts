import { expectedFreeBytes } from '../domain/removal-rules.ts'
import type { StageWorld } from '../stage/stage.ts'
import type { Due } from './poll-session.ts'

/** If snapshots or hard links keep the bytes, a removal frees no space, and Sluice stops the early removals. */
export const checkSpaceGained = async (
  { files, journal, clock }: Pick<StageWorld, 'files' | 'journal' | 'clock'>,
  { folder, recording }: Pick<Due, 'folder' | 'recording'>,
  freeBefore: number,
): Promise<void> => {
  const wantedBytes = expectedFreeBytes(freeBefore, recording.identity.sizeBytes)
  const free = await files.freeBytes(folder.path)
  if (free === null || free >= wantedBytes) return
  journal.transaction(() => {
    journal.volumes.setNoSpaceGained(folder.path, { atMs: clock.wallMs(), wantedBytes })
    journal.activity.note({ kind: 'no-space-freed', folder: folder.path })
  })
}
