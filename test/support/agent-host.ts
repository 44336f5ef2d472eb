/** Stands in for Electron's utility process: the agent's own entry, spoken to as the desktop app speaks to it. */
Object.assign(process, {
  parentPort: {
    postMessage: (message: unknown) => process.send?.(message),
    on: (_event: string, listener: (event: { data: unknown }) => void) =>
      process.on('message', (data) => listener({ data })),
  },
})

await import('../../main/agent/process.ts')
