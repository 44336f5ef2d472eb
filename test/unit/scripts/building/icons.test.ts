import { describe, expect, it } from 'vitest'
import { appIconFile, trayIconFile } from '../../../../main/shell/icon-file.ts'
import { makeIco } from '../../../../scripts/building/ico.mjs'

describe('icons', () => {
  it.each([
    ['windows', 'idle-dark.ico', 'app.ico'],
    ['macos', 'idleTemplate.png', 'app.png'],
    ['linux', 'idle-dark.png', 'app.png'],
  ] as const)('have the file type of %s', (system, tray, app) => {
    expect(trayIconFile(system, 'idle', 'dark')).toBe(tray)
    expect(appIconFile(system)).toBe(app)
  })
  it('of several widths share one `.ico` file, which lists the position of each picture', () => {
    const pictures = [16, 48, 256].map((width) => ({ width, png: Buffer.from(`picture of ${width}`) }))
    const ico = makeIco(pictures)
    expect([ico.readUInt16LE(0), ico.readUInt16LE(2), ico.readUInt16LE(4)]).toEqual([0, 1, 3])
    const picturesRead = pictures.map((_, index) => {
      const at = 6 + 16 * index
      const start = ico.readUInt32LE(at + 12)
      return {
        width: ico.readUInt8(at) || 256,
        png: ico.subarray(start, start + ico.readUInt32LE(at + 8)),
      }
    })
    expect(picturesRead).toEqual(pictures)
  })
})
