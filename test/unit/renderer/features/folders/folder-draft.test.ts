import { describe, expect, it } from 'vitest'
import {
  draftOf,
  newFolder,
  readFolder,
  withPatterns,
} from '../../../../../renderer/features/folders/folder-draft.ts'
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

describe('the expectation of a folder', () => {
  const [storedFolder] = draftSettingsSchema.parse({
    folders: [{ path: '/a', site: 'A', expect: { format: 'mcap' } }],
  }).folders
  if (storedFolder === undefined) throw new Error('no folder')

  it('keeps its format, which the form does not show, when another field changes', () => {
    const draft = { ...draftOf(storedFolder), notes: 'changed' }
    expect(readFolder(draft, storedFolder).expect).toEqual(storedFolder.expect)
  })

  it('is removed when the user clears its fields', () => {
    const filled = draftSettingsSchema.parse({
      folders: [{ path: '/a', site: 'A', expect: { format: 'mcap', channels: [{ name: '/imu' }] } }],
    }).folders[0]
    if (filled === undefined) throw new Error('no folder')
    const draft = draftOf(filled)
    const cleared = { ...draft, expectation: { ...draft.expectation, channels: '' } }
    expect(readFolder(cleared, filled)).not.toHaveProperty('expect')
  })
})

describe('the patterns of a folder', () => {
  const read = (text: string) => readFolder({ ...newFolder, include: text }, null).include

  it.each([
    [['**/*.{mcap,bag}', '*.wav']],
    [['{a,{b,c}}/*.wav']],
    [['take 1, left.wav']],
    [['odd { name, 2.wav', '*.tmp']],
    [['cam_[0-9],*.mp4']],
  ])('%j are read back unchanged', (include) => {
    const [storedFolder] = draftSettingsSchema.parse({
      folders: [{ path: '/a', site: 'A', include }],
    }).folders
    if (storedFolder === undefined) throw new Error('no folder')
    expect(readFolder(draftOf(storedFolder), storedFolder).include).toEqual(include)
  })

  it('may be separated by commas or lines', () => {
    expect(read(' *.wav,*.{mcap,{bag,db3}} ,\n*.mp4,')).toEqual(['*.wav', '*.{mcap,{bag,db3}}', '*.mp4'])
    expect(read('odd{, *.mp4')).toEqual(['odd{', '*.mp4'])
  })

  it('stay the same when more patterns are added', () => {
    const text = withPatterns('*.{tmp,part}', ['images/**', '*.{tmp,part}'])
    expect(read(text)).toEqual(['*.{tmp,part}', 'images/**'])
  })
})
