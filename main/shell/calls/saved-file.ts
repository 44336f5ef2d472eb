import { open } from 'node:fs/promises'
import path from 'node:path'
import { writeError } from '../../station-store/write-error.ts'

const OWNER_ONLY = 0o600

/** "sluice-report-2026-03-12-0842.json", in local time. */
export const datedFileName = (kind: 'receipt' | 'report' | 'settings', at: Date): string => {
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
  return `sluice-${kind}-${day}-${twoDigits(at.getHours())}${twoDigits(at.getMinutes())}.json`
}

/** Derives the format from the file extension, because save dialogs do not report the chosen filter. */
export const receiptFormat = (file: string): 'json' | 'csv' =>
  path.extname(file).toLowerCase() === '.csv' ? 'csv' : 'json'

/** Writes a file that only its owner can read. Windows ignores the mode. */
export const writeOwnerOnlyFile = async (file: string, text: string): Promise<void> => {
  try {
    const handle = await open(file, 'w', OWNER_ONLY)
    try {
      // `open` sets the mode of new files only. `chmod` fails on drives without file modes.
      await handle.chmod(OWNER_ONLY).catch(() => {})
      await handle.writeFile(text)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw writeError(`${file} could not be written.`, error)
  }
}
