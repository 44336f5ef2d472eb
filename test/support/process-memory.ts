import { readdirSync, readFileSync } from 'node:fs'

export type ProcessMemory = { readonly kind: string; readonly pssBytes: number }

const readIfPresent = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The process has just ended.
    return ''
  }
}

const parentOf = (pid: number): number =>
  Number(/\) \S (\d+) /.exec(readIfPresent(`/proc/${pid}/stat`))?.[1] ?? 0)

/** The sub-type of a utility process. For other processes, Chromium's type of the process, or `main` if it has none. */
const kindOf = (pid: number): string => {
  const line = readIfPresent(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
  const [, type] = /--type=(\S+)/.exec(line) ?? []
  const [, utility] = /--utility-sub-type=(\w+)/.exec(line) ?? []
  return utility ?? type ?? 'main'
}

/** The memory of a process and its descendants (Linux). Memory that they share counts once. */
export const memoryOfTree = (root: number): readonly ProcessMemory[] => {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const children = Map.groupBy(pids, parentOf)
  const listTree = (pid: number): readonly number[] => [pid, ...(children.get(pid) ?? []).flatMap(listTree)]
  return listTree(root).map((pid) => ({
    kind: kindOf(pid),
    pssBytes: Number(/^Pss:\s+(\d+) kB/m.exec(readIfPresent(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024,
  }))
}

const MB = 1_000_000

/** For example "214 MB (PSS): main 80, zygote 3". */
export const describeMemory = (processes: readonly ProcessMemory[]): string => {
  const sum = (group: readonly ProcessMemory[]) =>
    group.reduce((total, { pssBytes }) => total + pssBytes, 0) / MB
  const kinds = Map.groupBy(processes, ({ kind }) => kind)
  const parts = [...kinds].map(([kind, group]) => `${kind} ${sum(group).toFixed(0)}`)
  return `${sum(processes).toFixed(0)} MB (PSS): ${parts.join(', ')}`
}
