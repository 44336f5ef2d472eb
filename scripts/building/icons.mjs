// Renders the tray and app icons from their SVG files, in all the variants that Linux, macOS and Windows need.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Resvg } from '@resvg/resvg-js'
import { makeIco } from './ico.mjs'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..')
const target = path.join(root, 'out/icons')

/** One colour per state. Template images are black, because macOS itself colours them. */
const colours = {
  light: { idle: '#1a6b3c', working: '#0b6478', paused: '#4a525c', attention: '#9a5b00', offline: '#4a525c' },
  dark: { idle: '#7ad6a2', working: '#6fd0e4', paused: '#d3d8de', attention: '#f0bb62', offline: '#d3d8de' },
}

/** The length of the ring in working.svg. Each working icon draws its own percentage of the ring. */
const RING_LENGTH = 2 * Math.PI * 6.7

/** @param {string} svg @param {number} fraction */
const withProgress = (svg, fraction) =>
  svg.replace(
    'id="progress"',
    `stroke-dasharray="${(RING_LENGTH * fraction).toFixed(2)} ${RING_LENGTH.toFixed(2)}"`,
  )

/**
 * The widths for display scales from 100 to 300 percent, and for the largest tiles. Windows scales badly to a missing
 * width.
 */
const ICO_WIDTHS = [16, 20, 24, 32, 48, 256]

/** @param {string} svg @param {string} colour @param {number} width */
const render = (svg, colour, width) =>
  new Resvg(svg.replaceAll('currentColor', colour), { fitTo: { mode: 'width', value: width } })
    .render()
    .asPng()

/** @param {string} svg @param {string} colour */
const renderIco = (svg, colour) =>
  makeIco(ICO_WIDTHS.map((width) => ({ width, png: render(svg, colour, width) })))

const readDrawing = (/** @type {string} */ name) => readFile(path.join(root, 'assets', name), 'utf8')

/** @returns {Promise<{ name: string, kind: keyof typeof colours.light, svg: string }[]>} */
const trayIcons = async () => {
  const plain = await Promise.all(
    /** @type {const} */ (['idle', 'paused', 'attention', 'offline']).map(async (kind) => ({
      name: kind,
      kind,
      svg: await readDrawing(`tray/${kind}.svg`),
    })),
  )
  const working = await readDrawing('tray/working.svg')
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
    if (suffix !== 'Template') await write(`${name}${suffix}.ico`, renderIco(svg, colour))
  }
}
const app = await readDrawing('app.svg')
await write('app.png', render(app, '#ffffff', 512))
await write('app.ico', renderIco(app, '#ffffff'))
// Windows shows this icon as a small badge on the taskbar button.
await write('attention-overlay.png', render(await readDrawing('taskbar/attention.svg'), '#ffffff', 32))
