import { existsSync } from 'node:fs'
import path from 'node:path'

/** @typedef {'deb' | 'rpm' | 'nsis' | 'msi'} PackageKind */
/** @typedef {{ kind: PackageKind, problem: string }} MissingTool problem: one sentence with the package to install */

const TOOLS = /** @type {const} */ ([
  { kind: 'deb', platform: 'linux', name: 'dpkg-deb', install: 'install the package dpkg' },
  {
    kind: 'rpm',
    platform: 'linux',
    name: 'rpmbuild',
    install: 'install the package rpm on Debian and Ubuntu, or rpm-build on Fedora',
  },
  {
    kind: 'nsis',
    platform: 'win32',
    name: 'makensis',
    install: 'install the package nsis on Debian and Ubuntu',
  },
  { kind: 'msi', platform: 'win32', name: 'wixl', install: 'install the package wixl on Debian and Ubuntu' },
  {
    kind: 'msi',
    platform: 'win32',
    name: 'msibuild',
    install: 'install the package msitools on Debian and Ubuntu',
  },
])

/**
 * Returns the tools that this computer lacks to make packages for these machines. None are needed for macOS.
 *
 * @param {readonly string[]} machines
 * @param {string} [searchPath]
 * @returns {readonly MissingTool[]}
 */
export const missingTools = (machines, searchPath = process.env.PATH ?? '') =>
  TOOLS.filter(({ platform }) => machines.some((machine) => machine.startsWith(platform)))
    .filter(
      ({ name }) => !searchPath.split(path.delimiter).some((folder) => existsSync(path.join(folder, name))),
    )
    .map(({ kind, name, install }) => ({ kind, problem: `${name} is missing; ${install}.` }))
