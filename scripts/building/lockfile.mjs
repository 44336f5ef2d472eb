/**
 * @typedef {object} LockEntry
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {string} [resolved]
 * @property {string} [license]
 * @property {boolean} [link]
 * @property {readonly string[]} [os]
 * @property {readonly string[]} [cpu]
 * @property {boolean} [dev]
 * @property {boolean} [devOptional]
 */

/** @typedef {{ lockfileVersion: number, packages: Readonly<Record<string, LockEntry>> }} Lockfile */

/**
 * Returns every problem that could let `npm ci` install unreviewed code. Because
 * of `.npmrc`, the lockfile contains no addresses, so an address in it is an attack or a mistake.
 *
 * @param {Lockfile} lockfile
 * @returns {readonly string[]}
 */
export const lockfileProblems = ({ lockfileVersion, packages }) => [
  ...(lockfileVersion === 3 ? [] : [`the lockfile has version ${lockfileVersion}, not 3`]),
  ...Object.entries(packages).flatMap(([packagePath, entry]) =>
    packagePath === '' ? [] : entryProblems(entry).map((problem) => `${packagePath} ${problem}`),
  ),
]

/** @param {LockEntry} entry */
const entryProblems = ({ integrity, resolved, link, version }) => [
  ...(/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '') ? [] : ['has no sha512 integrity']),
  ...(resolved === undefined ? [] : ['names a download address']),
  ...(link === true ? ['is a link'] : []),
  ...(version === undefined ? ['has no version'] : []),
]
