/**
 * What ends the app from the terminal it was started in. Elsewhere Electron takes SIGINT, SIGTERM and SIGHUP for a wish
 * to quit by itself; on Windows Ctrl-C, Ctrl-Break and the closing of the terminal would end it without a word.
 */
export const endSignals = (platform: NodeJS.Platform): readonly NodeJS.Signals[] =>
  platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : []
