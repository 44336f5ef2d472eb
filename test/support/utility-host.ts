import { pathToFileURL } from 'node:url'

/**
 * Runs a program that expects to run in Electron's utility process. The arguments are the path of the program and the
 * arguments for it.
 */
Object.assign(process, {
  parentPort: {
    postMessage: (message: unknown) => process.send?.(message),
    on: (_event: string, listener: (event: { data: unknown }) => void) =>
      process.on('message', (data) => listener({ data })),
  },
})

// As in Electron, the process ends with its parent.
process.on('disconnect', () => process.exit())

process.argv.splice(1, 1)
await import(pathToFileURL(process.argv[1] ?? '').href)
