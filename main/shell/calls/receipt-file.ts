import path from 'node:path'

/** "sluice-receipt-2026-03-12-0842.json", in local time. */
export const receiptName = (at: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `sluice-receipt-${day}-${two(at.getHours())}${two(at.getMinutes())}.json`
}

/** The format by file extension: save dialogs do not report the chosen filter. */
export const receiptFormat = (file: string): 'json' | 'csv' =>
  path.extname(file).toLowerCase() === '.csv' ? 'csv' : 'json'
