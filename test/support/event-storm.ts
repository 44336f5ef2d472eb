import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import path from 'node:path'

/** Swaps two folders about a hundred thousand times per second. The loop has a time limit, in case the test hangs. */
const SWAP_PROGRAM = `
import ctypes, sys, time
rename = ctypes.CDLL(None, use_errno=True).renameat2
a, b = (name.encode() for name in sys.argv[1:3])
if rename(-100, a, -100, b, 2) != 0: sys.exit(1)
print("swapping", flush=True)
end = time.monotonic() + float(sys.argv[3])
while time.monotonic() < end:
    for _ in range(1000): rename(-100, a, -100, b, 2)
`

export const startEventStorm = async (folder: string, seconds: number): Promise<ChildProcess> => {
  const folders = ['a', 'b'].map((name) => path.join(folder, name))
  for (const swappedFolder of folders) mkdirSync(swappedFolder)
  const storm = spawn('python3', ['-c', SWAP_PROGRAM, ...folders, String(seconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(storm.stdout, 'data')
  return storm
}
