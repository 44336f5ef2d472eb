const REMOTE = /[\\/]electron-log[\\/]src[\\/]node[\\/]transports[\\/]remote\.js$/

/**
 * electron-log can also post what it is told to an address. A log of Sluice stays on the PC: that part is left out of
 * the bundle, and with it two HTTP modules that every start of the window waited for.
 *
 * @returns {import('vite').Plugin}
 */
export const keepLogsLocal = () => ({
  name: 'keep-logs-local',
  load: (id) =>
    REMOTE.test(id)
      ? 'module.exports = () => Object.assign(() => {}, { level: false, transforms: [] })'
      : null,
})
