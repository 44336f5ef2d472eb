/**
 * The signals that the app itself has to handle to quit cleanly. On Linux and macOS, Electron handles SIGINT, SIGTERM
 * and SIGHUP. On Windows, Ctrl-C, Ctrl-Break and closing the terminal would kill the app.
 */
export const quitSignals = (platform: NodeJS.Platform): readonly NodeJS.Signals[] =>
  platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : []
