import { parseArgs } from 'node:util'
import { evaluateForecast } from './forecast.ts'
import { evaluateRoom } from './room.ts'

/** What is told before it is asked for, against years of made journals whose truth is known. */
const evaluations: Readonly<Record<string, () => Promise<void>>> = {
  forecast: evaluateForecast,
  room: evaluateRoom,
}

// Before anything reads the zone: both changes of the clock are in every year.
process.env.TZ = 'Europe/Berlin'
const { positionals } = parseArgs({ allowPositionals: true })
const chosen = positionals.length === 0 ? Object.keys(evaluations) : positionals
const unknown = chosen.find((name) => !(name in evaluations))
if (unknown !== undefined) {
  process.stderr.write(
    `There is no evaluation "${unknown}"; there are ${Object.keys(evaluations).join(', ')}.\n`,
  )
  process.exit(1)
}
for (const name of chosen) await evaluations[name]!()
