import { existsSync } from 'node:fs'
import type { Need } from './needs.ts'

const candidates = [
  process.env.SLUICE_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]
const firstExisting = (files: readonly (string | undefined)[]): string | undefined =>
  files.find((file) => file !== undefined && existsSync(file))

/** A browser that can open a window. */
export const browserPath = firstExisting(candidates)

/** A browser for pages that need no window. A headless browser has about half the work. */
export const pageBrowserPath = firstExisting([
  process.env.SLUICE_CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  ...candidates,
])

export const browser: Need = () => (pageBrowserPath === undefined ? 'Chromium' : null)

export const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Optimising code takes a sixth of the processor time, and no page lives long enough to benefit.
  '--js-flags=--no-turbofan --no-maglev',
]
