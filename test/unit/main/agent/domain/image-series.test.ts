import { expect, test } from 'vitest'
import { checkSeries } from '../../../../../main/agent/domain/image-series.ts'

const images = (paths: readonly string[], typeOf = (_: string): string | null => 'jpeg 64 × 48') =>
  paths.map((path, id) => ({ id, path, type: typeOf(path) }))
const frames = (numbers: readonly number[], prefix = 'frame_') =>
  numbers.map((number) => `${prefix}${String(number).padStart(4, '0')}.jpg`)
const reportsOf = (...args: Parameters<typeof images>) =>
  checkSeries(images(...args)).map(({ id, warnings }) => [id, ...warnings.map(({ detail }) => detail)])

test('names the missing numbers of a series', () => {
  expect(reportsOf(frames([10, 9, 8, 7, 3, 2, 1]))).toEqual([[6, '3 of 10 images are missing: 4 to 6.']])
  expect(reportsOf(frames([1, 2, 4, 5]))).toEqual([[0, '1 of 5 images is missing: 3.']])
  expect(reportsOf(frames([1, 3, 5, 7, 9, 10, 11, 12]))).toEqual([
    [0, '4 of 12 images are missing: 2, 4, 6, ….'],
  ])
})

test('a complete series may start with any number', () => {
  for (const first of [0, 1, 998]) expect(reportsOf(frames([first, first + 1, first + 2]))).toEqual([])
})

test('each camera of a take is a series of its own', () => {
  const paths = [...frames([1, 2, 3], 'left/'), ...frames([1, 2, 4, 5], 'right/')]
  expect(reportsOf(paths)).toEqual([[3, '1 of 5 images is missing: 3.']])
})

test('reports no missing images if the numbers in the names are for example times', () => {
  expect(reportsOf(frames([0, 33, 66, 100, 133]))).toEqual([])
  expect(reportsOf(['1700000000000.jpg', '1700000000001.jpg', '1700000000003.jpg'])).toEqual([])
  expect(reportsOf(['a.jpg', 'b.jpg', 'c.jpg'])).toEqual([])
  expect(reportsOf(frames([1, 9]))).toEqual([])
})

test('reports images of a different size', () => {
  const typeOf = (path: string) => (path.includes('0003') ? 'jpeg 32 × 24' : 'jpeg 64 × 48')
  expect(reportsOf(frames([1, 2, 3, 4]), typeOf)).toEqual([
    [0, '1 of 4 images differ in size: jpeg 32 × 24, usually jpeg 64 × 48.'],
  ])
})
