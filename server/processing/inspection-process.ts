import { writeFileSync } from 'node:fs'
import { startThread } from './isolated-thread.ts'

/*
 * The program of the process that inspects. Its main thread only passes messages between the server and the inspecting
 * thread. So it notices the end of the server even if the content of a file keeps the inspecting thread in a loop.
 */
const thread = startThread()
process.on('message', (message) => thread.postMessage(message))
thread.on('message', (message) => process.send?.(message))
thread.on('exit', () => process.exit(1))
process.on('disconnect', () => process.exit(0))
// Ctrl-C and service managers send their signal to the server and to this process. Ignore these signals: the server
// decides when inspections end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
try {
  // If the computer runs out of memory, Linux ends this process first and not the server.
  writeFileSync('/proc/self/oom_score_adj', '1000')
} catch {
  // Not on Linux.
}
