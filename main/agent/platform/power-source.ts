import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** Linux lists mains adapters and batteries here, including those of peripherals. */
const POWER_SUPPLIES = '/sys/class/power_supply'

const readText = (folder: string, name: string): Promise<string> =>
  readFile(path.join(folder, name), 'utf8').then(
    (text) => text.trim(),
    () => '',
  )

const supplyIn = async (folder: string) => ({
  type: await readText(folder, 'type'),
  isOnline: (await readText(folder, 'online')) === '1',
  isDischarging: (await readText(folder, 'status')) === 'Discharging',
  // True for the battery of a mouse or a headset.
  isPeripheral: (await readText(folder, 'scope')) === 'Device',
})

/** Whether this PC runs on its battery or on a UPS. False if the system does not report the power source. */
export const isOnBattery = async (folder = POWER_SUPPLIES): Promise<boolean> => {
  const names = await readdir(folder).catch(() => [])
  const supplies = await Promise.all(names.map((name) => supplyIn(path.join(folder, name))))
  const ownSupplies = supplies.filter(({ isPeripheral }) => !isPeripheral)
  const isBattery = ({ type }: { readonly type: string }) => type === 'Battery' || type === 'UPS'
  if (ownSupplies.some((supply) => !isBattery(supply) && supply.isOnline)) return false
  return ownSupplies.some((supply) => isBattery(supply) && supply.isDischarging)
}
