/** Stands in for Electron's utility process: the embedded sandbox's own entry. */
Object.assign(process, {
  parentPort: {
    postMessage: (message: unknown) => process.send?.(message),
    on: (_event: string, listener: (event: { data: unknown }) => void) =>
      process.on('message', (data) => listener({ data })),
  },
})

await import('../../main/sandbox-process.ts')
