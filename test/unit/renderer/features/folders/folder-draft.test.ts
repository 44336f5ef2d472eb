import { describe, expect, it } from 'vitest'
import { draftOf, readFolder } from '../../../../../renderer/features/folders/folder-draft.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'

describe('the part size of a folder', () => {
  const folder = (part_size_bytes?: number) =>
    draftSettingsSchema.parse({ folders: [{ path: '/a', site: 'A', part_size_bytes }] }).folders[0]
  it.each([8_000_000, 67_108_864, 536_870_912, undefined])('of %s is read back unchanged', (bytes) => {
    const storedFolder = folder(bytes)
    if (storedFolder === undefined) throw new Error('no folder')
    expect(readFolder(draftOf(storedFolder), storedFolder)).toEqual(
      bytes === undefined ? (({ part_size_bytes: _, ...rest }) => rest)(storedFolder) : storedFolder,
    )
  })
})
