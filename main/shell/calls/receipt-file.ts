import path from 'node:path'

/** "sluice-receipt-2026-03-12-0842.json", in local time. */
export const receiptName = (at: Date): string => {
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
  return `sluice-receipt-${day}-${twoDigits(at.getHours())}${twoDigits(at.getMinutes())}.json`
}

/** The format by file extension: save dialogs do not report the chosen filter. */
export const receiptFormat = (file: string): 'json' | 'csv' =>
  path.extname(file).toLowerCase() === '.csv' ? 'csv' : 'json'
