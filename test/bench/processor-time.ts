import { readFileSync } from 'node:fs'

/** What Linux counts in; a hundredth of a second on every system that Electron runs on. */
const TICKS_PER_SECOND = 100

/** Seconds of the processor that a process has used, all its threads together. */
export const processorSecondsOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** The line of bash's `times` for what it started: "0m1.234s 0m0.567s". */
export const secondsOfTimes = (line: string): number =>
  [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  )
