import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { evaluateForecast } from './forecast.ts'
import { evaluateRoom } from './room.ts'
import { silencePage } from './silence-page.ts'

const evaluateSilence = async (): Promise<void> => {
  const page = silencePage((line) => process.stdout.write(`${line}\n`))
  await writeFile(path.join(import.meta.dirname, '../../docs/silence.md'), page)
}

/** What is told before it is asked for, against years of made journals whose truth is known. */
const evaluations: Readonly<Record<string, () => Promise<void>>> = {
  forecast: evaluateForecast,
  room: evaluateRoom,
  silence: evaluateSilence,
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
