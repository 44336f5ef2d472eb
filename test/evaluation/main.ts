import { parseArgs } from 'node:util'
import { evaluateDiskSpace } from './disk-space.ts'
import { evaluateForecast } from './forecast.ts'
import { evaluateSilence } from './silence-figures.ts'

/** Tests each forecast on simulated years, where the outcome is known. */
const evaluations: Readonly<Record<string, () => Promise<void>>> = {
  forecast: evaluateForecast,
  'disk-space': evaluateDiskSpace,
  silence: evaluateSilence,
}

// Set this before any code reads the time zone. In this time zone, every year contains two clock changes.
process.env.TZ = 'Europe/Berlin'
const { positionals } = parseArgs({ allowPositionals: true })
const chosen = positionals.length === 0 ? Object.keys(evaluations) : positionals
const unknown = chosen.find((name) => !(name in evaluations))
if (unknown !== undefined) {
  process.stderr.write(
    `Unknown evaluation "${unknown}". Choose from ${Object.keys(evaluations).join(', ')}.\n`,
  )
  process.exit(1)
}
for (const name of chosen) await evaluations[name]!()
