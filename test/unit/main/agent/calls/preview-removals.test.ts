import { expect, test } from 'vitest'
import { previewRemovals } from '../../../../../main/agent/calls/preview-removals.ts'
import { previewSentences } from '../../../../../shared/ipc/removal-preview.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'

const NOW_MS = Date.parse('2026-03-12T12:00:00Z')
const [folder] = draftSettingsSchema.parse({
  folders: [{ path: '/rec', site: 'lab', after_upload: { action: 'delete', days: 1, keep_free_bytes: 1e9 } }],
}).folders

/** The preview of a folder whose files are all missing. */
const preview = (due: number, early: number, freeBytes: number) => {
  const recordings = Array.from({ length: due + early }, (_, id) => ({
    id,
    path: `/rec/${id}.bin`,
    processedAtMs: id < due ? 0 : NOW_MS,
    identity: { sizeBytes: 1000 },
  }))
  const removals = {
    figures: () => ({ count: due, bytes: due * 1000, nextProcessedAtMs: null }),
    all: (_folder: string, processedByMs: number, _service: string, limit: number) =>
      recordings.filter(({ processedAtMs }) => processedAtMs <= processedByMs).slice(0, limit),
    of: () => null,
    underTestKey: () => 0,
  }
  const journal = {
    removals,
    station: { serviceInUse: () => 'https://api.example.com', usesTestKey: () => false },
    volumes: { noSpaceGained: () => null },
  }
  const world = {
    journal,
    files: { identify: async () => ({ ok: false }), freeBytes: async () => freeBytes },
    operations: { sameDrive: async () => false },
    paths: linuxPaths,
    nowMs: NOW_MS,
  } as unknown as Parameters<typeof previewRemovals>[0]
  return previewRemovals(world, '/rec', folder!.after_upload, ['/rec'])
}
const sentences = async (...args: Parameters<typeof preview>) =>
  previewSentences(await preview(...args), 'delete')

test('the preview counts files beyond the checked ones, even if no checked file would be removed', async () => {
  expect(await sentences(2_500, 0, 2e9)).toEqual([
    '500 recordings (500 kB) would be deleted now.',
    'Only the files of the first 2,000 recordings were checked.',
    '2,000 recordings would stay: the file is missing, changed or on hold.',
  ])
})

test('the preview says if it did not check all files that could be removed early', async () => {
  expect(await sentences(0, 2_500, 0)).toEqual([
    'Nothing would be deleted now.',
    'Only the files of the first 2,000 recordings were checked.',
  ])
  expect(await sentences(0, 2_000, 0)).toEqual(['Nothing would be deleted now.'])
})
