const REMOTE = /[\\/]electron-log[\\/]src[\\/]node[\\/]transports[\\/]remote\.js$/

/**
 * Removes the part of electron-log that posts log lines to a server, because the log of Sluice stays on the PC. This
 * also saves loading two HTTP modules at each start of the window.
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
