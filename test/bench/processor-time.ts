import { readFileSync } from 'node:fs'

/** The unit of Linux's counters: a hundredth of a second on every system that Electron runs on. */
const TICKS_PER_SECOND = 100

/** Processor seconds that a process has used, over all its threads. */
export const processorSecondsOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Adds up the user time and the system time in a line of bash's `times`, such as "0m1.234s 0m0.567s". */
export const secondsOfTimes = (line: string): number =>
  [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  )
