import { expect, test } from 'vitest'
import { attachmentHeader } from '../../../../server/page/attachment-header.ts'
import { hostileNames } from './hostile-names.ts'

test('a hostile file name cannot end the header of its download, add a header or hide the extension', () => {
  for (const name of hostileNames) {
    const header = attachmentHeader(name)
    expect(header, name).toMatch(
      /^attachment; filename="[A-Za-z0-9._ -]*"; filename\*=UTF-8''[A-Za-z0-9%._~!-]*$/,
    )
    const shownName = decodeURIComponent(header.split("''")[1]!)
    expect(shownName, name).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]|^\./u)
  }
})

test('an ordinary name stays as it is', () => {
  expect(attachmentHeader('2026-03-12 run_7.mcap')).toBe(
    `attachment; filename="2026-03-12 run_7.mcap"; filename*=UTF-8''2026-03-12%20run_7.mcap`,
  )
  expect(attachmentHeader('Größe 測定.bag')).toContain(
    `filename*=UTF-8''${encodeURIComponent('Größe 測定.bag')}`,
  )
})
