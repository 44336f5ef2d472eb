import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { capture, runInPlace } from '../launcher/child.mjs'
import { ExpectedFailure } from '../launcher/command.mjs'
import { ROOT, toolScript } from '../launcher/project.mjs'
import { listShipped } from './list-shipped.mjs'
import { COMPILED_STAMP, LAB_PAGE_STAMP, OUT, STAMP } from './stale.mjs'

const BUNDLE = path.join(ROOT, 'scripts/building/bundle.mjs')
const LAB_PAGE = {
  name: "the lab's page",
  script: toolScript('vite/bin/vite.js'),
  args: ['build', '--config', 'renderer/lab-page/vite.config.ts', '--logLevel', 'warn'],
}

/** The steps run on the Node of the calling script, because Vite needs only Node 20 or later. */
const STEPS = [
  { name: 'the programs', script: BUNDLE, args: [] },
  {
    name: 'the preload',
    script: toolScript('vite/bin/vite.js'),
    args: ['build', '--config', 'preload/vite.config.ts', '--logLevel', 'warn'],
  },
  { name: 'the page', script: toolScript('vite/bin/vite.js'), args: ['build', '--logLevel', 'warn'] },
  LAB_PAGE,
]

const iconScript = path.join(ROOT, 'scripts/building/icons.mjs')
const ICONS = existsSync(iconScript) ? [{ name: 'the icons', script: iconScript, args: [] }] : []

/** Compiles everything into an empty `out/`, so that no code of deleted source files remains. */
export const build = async () => {
  await rm(OUT, { recursive: true, force: true })
  for (const { name, script, args } of [...STEPS, ...ICONS]) {
    const code = await runInPlace(process.execPath, [script, ...args], { cwd: ROOT })
    if (code !== 0) throw new ExpectedFailure(`building ${name} failed; see the errors above.`)
  }
  await mkdir(OUT, { recursive: true })
  await listShipped()
  for (const stamp of [COMPILED_STAMP, LAB_PAGE_STAMP, STAMP]) await writeFile(stamp, '')
}

/** Compiles the programs into the existing `out/`, without output. If this fails, the bundles stay stale. */
export const compile = async () => {
  const { code } = await capture(process.execPath, [BUNDLE], { cwd: ROOT })
  if (code === 0) await writeFile(COMPILED_STAMP, '')
}

/** Builds the page of the server, without output. If this fails, the page stays stale. */
export const buildLabPage = async () => {
  const { code } = await capture(process.execPath, [LAB_PAGE.script, ...LAB_PAGE.args], { cwd: ROOT })
  if (code === 0) await writeFile(LAB_PAGE_STAMP, '')
}
