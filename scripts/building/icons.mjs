// Renders the tray and app icons from their drawings, at build time: 1x and 2x, for dark and light panels, and
// as template images for macOS.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Resvg } from '@resvg/resvg-js'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..')
const target = path.join(root, 'out/icons')

/** One colour for each state besides its shape; a template image is black and takes the panel's colour. */
const colours = {
  light: { idle: '#1a6b3c', working: '#0b6478', paused: '#4a525c', attention: '#9a5b00', offline: '#4a525c' },
  dark: { idle: '#7ad6a2', working: '#6fd0e4', paused: '#d3d8de', attention: '#f0bb62', offline: '#d3d8de' },
}

/** From the corner of a window to the desktop. */
const WINDOWS_SIZES = [16, 20, 24, 32, 40, 48, 64, 128, 256]

/** The length of the ring in working.svg, of which each picture shows a part. */
const RING = 2 * Math.PI * 6.7

/** @param {string} svg @param {number} share */
const withProgress = (svg, share) =>
  svg.replace('id="progress"', `stroke-dasharray="${(RING * share).toFixed(2)} ${RING.toFixed(2)}"`)

/** @param {string} svg @param {string} colour @param {number} width */
const render = (svg, colour, width) =>
  new Resvg(svg.replaceAll('currentColor', colour), { fitTo: { mode: 'width', value: width } })
    .render()
    .asPng()

/**
 * Windows' own format: a table, then the pictures. Each is drawn in its size, and no tool has to be downloaded to
 * convert one.
 *
 * @param {readonly { size: number, png: Buffer }[]} pictures
 */
const windowsIcon = (pictures) => {
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let start = head.length
  for (const [index, { size, png }] of pictures.entries()) {
    const at = 6 + 16 * index
    // One byte each: 256 is written as 0.
    head.writeUInt8(size % 256, at)
    head.writeUInt8(size % 256, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(png.length, at + 8)
    head.writeUInt32LE(start, at + 12)
    start += png.length
  }
  return Buffer.concat([head, ...pictures.map(({ png }) => png)])
}

const drawing = (/** @type {string} */ name) => readFile(path.join(root, 'assets', name), 'utf8')

/** @returns {Promise<{ name: string, kind: keyof typeof colours.light, svg: string }[]>} */
const trayIcons = async () => {
  const plain = await Promise.all(
    /** @type {const} */ (['idle', 'paused', 'attention', 'offline']).map(async (kind) => ({
      name: kind,
      kind,
      svg: await drawing(`tray/${kind}.svg`),
    })),
  )
  const working = await drawing('tray/working.svg')
  const steps = [0, 25, 50, 75].map((percent) => ({
    name: `working-${percent}`,
    kind: /** @type {const} */ ('working'),
    svg: withProgress(working, percent / 100),
  }))
  return [...plain, ...steps]
}

await mkdir(target, { recursive: true })
const write = (/** @type {string} */ name, /** @type {Buffer} */ png) =>
  writeFile(path.join(target, name), png)

for (const { name, kind, svg } of await trayIcons()) {
  const variants = [
    { suffix: 'Template', colour: '#000000' },
    { suffix: '-light', colour: colours.light[kind] },
    { suffix: '-dark', colour: colours.dark[kind] },
  ]
  for (const { suffix, colour } of variants) {
    await write(`${name}${suffix}.png`, render(svg, colour, 16))
    await write(`${name}${suffix}@2x.png`, render(svg, colour, 32))
  }
}
const app = await drawing('app.svg')
await write('app.png', render(app, '#ffffff', 512))
const pictures = WINDOWS_SIZES.map((size) => ({ size, png: render(app, '#ffffff', size) }))
await write('app.ico', windowsIcon(pictures))
