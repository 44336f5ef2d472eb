import { expect, test } from 'vitest'
import { killPage } from '../../../../../main/shell/window/unload-page.ts'

test('kills the page’s process, and kills nothing if the page has already ended', () => {
  const killed: number[] = []
  for (const pid of [4711, 0]) killPage(pid, (each) => killed.push(each))
  expect(killed).toEqual([4711])
})
