import { expect, test } from 'vitest'

test('this is Windows', () => {
  expect(process.platform).toBe('win32')
})
