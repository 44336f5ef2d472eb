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
export const browserPath = candidates.find((file) => file !== undefined && existsSync(file))

export const browser: Need = () => (browserPath === undefined ? 'Chromium' : null)

export const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
