import { expect, test } from 'vitest'
import { firstRecordingTitle } from '../../../../../renderer/features/first-run/first-recording.ts'
import { standings } from '../../../../../shared/status/standing.ts'

test('the title of a failed first recording is a warning', () => {
  expect(firstRecordingTitle({ standing: 'needs-attention', settlesAt: null })).toEqual({
    title: 'The first recording needs attention.',
    tone: 'warn',
  })
})

test('only the title of an upload contains “uploading”, and only the title of a safe recording contains “safe”', () => {
  for (const standing of standings) {
    const { title } = firstRecordingTitle({ standing, settlesAt: null })
    expect([standing, title.includes('uploading')]).toEqual([standing, standing === 'uploading'])
    expect([standing, title.includes('safe')]).toEqual([standing, standing === 'safe'])
  }
  expect(firstRecordingTitle(undefined).title).toBe('Sluice is watching.')
})

test('a file that no program writes any more is finishing', () => {
  const settlesAt = '2026-03-12T07:42:06.000Z'
  expect(firstRecordingTitle({ standing: 'recording', settlesAt }).title).toBe(
    'The first recording is finishing.',
  )
  expect(firstRecordingTitle({ standing: 'recording', settlesAt: null }).title).toBe(
    'The first recording is being written.',
  )
})
