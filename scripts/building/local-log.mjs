const REMOTE = /[\\/]electron-log[\\/]src[\\/]node[\\/]transports[\\/]remote\.js$/

/**
 * electron-log can also post log lines to a server. The log of Sluice stays on the PC, so this plugin omits that
 * transport from the bundle. This also saves two HTTP modules at each start of the window.
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
