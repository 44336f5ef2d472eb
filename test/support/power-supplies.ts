import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

type Supply = Readonly<Record<string, string>>

/** A simulated /sys/class/power_supply. */
export class PowerSupplies {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'sluice-power-'))

  set(name: string, supply: Supply): void {
    const folder = path.join(this.folder, name)
    mkdirSync(folder, { recursive: true })
    for (const [file, text] of Object.entries(supply)) writeFileSync(path.join(folder, file), `${text}\n`)
  }

  plugIn(): void {
    this.set('AC', { type: 'Mains', online: '1' })
    this.set('BAT0', { type: 'Battery', status: 'Charging' })
  }

  unplug(): void {
    this.set('AC', { type: 'Mains', online: '0' })
    this.set('BAT0', { type: 'Battery', status: 'Discharging' })
  }
}
