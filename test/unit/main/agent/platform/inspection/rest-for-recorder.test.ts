import { expect, test } from 'vitest'
import { createRestForRecorder } from '../../../../../../main/agent/platform/inspection/rest-for-recorder.ts'

const DEVICE = '1'

/** The rests during three reads of one millisecond. The first read only starts the byte count, so it has no rest. */
const restsFor = ({ isRecording, fetchedBytes }: { isRecording: boolean; fetchedBytes: number }) => {
  const rests: number[] = []
  const background: boolean[] = []
  const rest = createRestForRecorder({
    hasBulkWrites: () => isRecording,
    countDriveReads: () => fetchedBytes,
    priority: { setBackground: (on) => void background.push(on), hasLowPriority: () => true },
    sleep: (ms) => void rests.push(ms),
  })
  for (let read = 0; read < 3; read += 1) rest(DEVICE, 1)
  expect(background).toEqual([isRecording, isRecording, isRecording])
  return rests
}

test('an inspection uses at most a twentieth of the drive’s time while a recorder writes', () => {
  expect(restsFor({ isRecording: true, fetchedBytes: 4096 })).toEqual([19, 19])
})

test('an inspection of cached bytes does not rest', () => {
  expect(restsFor({ isRecording: true, fetchedBytes: 0 })).toEqual([])
})

test('an inspection without a recorder does not rest', () => {
  expect(restsFor({ isRecording: false, fetchedBytes: 4096 })).toEqual([])
})
