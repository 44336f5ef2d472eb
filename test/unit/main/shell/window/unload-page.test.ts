import { expect, test } from 'vitest'
import { killPage } from '../../../../../main/shell/window/unload-page.ts'

test('a page that is let go is ended; one that has ended already takes nobody along', () => {
  const killed: number[] = []
  for (const pid of [4711, 0]) killPage(pid, (each) => killed.push(each))
  expect(killed).toEqual([4711])
})
