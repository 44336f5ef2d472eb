/**
 * Who may import what. The first zone whose `files` match is the one that counts; a file in no zone is an
 * error, so that a new folder has to take its place in this table.
 *
 * @typedef {object} Zone
 * @property {string} files glob of the files this line is about
 * @property {readonly string[]} [own] files of this repository that may be imported
 * @property {readonly string[]} [ownTypes] the same, with `import type` only
 * @property {readonly string[]} [packages] npm packages
 * @property {boolean} [node] may import `node:` builtins
 * @property {boolean} [computed] may import by a computed name, which could be anything
 * @property {boolean} [anything] no rule: tests and tool settings
 * @property {string} why what is said when the line is broken
 */

const DOMAIN = 'main/agent/domain/**'
const JOURNAL = 'main/agent/journal/**'
const PORTS = 'main/agent/ports.ts'
const SHARED = 'shared/**'
/** Documented for other people's receivers: it can be taken out alone. */
const VERIFIER = 'shared/webhook-verifier/verify-webhook.ts'
/** What the app and the agent both do before there is a journal or a log. */
const MAKE_FOLDER = 'main/local-files/make-folder.ts'
const OWNER_ONLY = 'main/local-files/owner-only.ts'
const HELD_FILE = 'main/local-files/held-file.ts'
const MISSING_RIGHTS = 'main/local-files/missing-rights.ts'
const DATA_FOLDER_OWNER = 'main/local-files/data-folder-owner.ts'
/** How files are opened that others may have prepared. */
const PLAIN_FILE = 'main/local-files/plain-file.ts'
/** Both write into one log. */
const PROGRAM_LOG = 'main/program-log/**'
const DURABLE_FILE = 'main/local-files/durable-file.ts'
/** The administrator's settings, which the app and the headless agent follow alike. */
const MANAGED = 'main/managed/**'
/** What every stage works with besides the journal: not stages themselves. */
const STAGE_TOOLS = [
  'main/agent/stage/apply-decision.ts',
  'main/agent/sessions/event-arrival.ts',
  'main/agent/monitoring/deliver.ts',
  'main/agent/station/door-keeper.ts',
  'main/agent/stage/jobs.ts',
  'main/agent/removal/leftover-copies.ts',
  'main/agent/flow/follow/list-trust.ts',
  'main/agent/removal/recover-removals.ts',
  'main/agent/sessions/reopen-session.ts',
  'main/agent/sessions/reopened-sessions.ts',
  'main/agent/stage/removed-folders.ts',
  'main/agent/sessions/same-content.ts',
  'main/agent/flow/watch/seen-files.ts',
  'main/agent/stage/stage.ts',
  'main/agent/removal/remove-file.ts',
  'main/agent/flow/watch/touched-files.ts',
  'main/agent/removal/undo-copy.ts',
  'main/agent/flow/open/creation-request.ts',
  'main/agent/sessions/find-session.ts',
  'main/agent/flow/open/creation-names.ts',
  'main/agent/sessions/listed-sessions.ts',
  'main/agent/sessions/replace-session.ts',
  'main/agent/flow/upload/upload.ts',
]

/** @type {readonly Zone[]} */
export const ZONES = [
  { files: '**/*.config.ts', anything: true, why: 'settings of tools' },
  { files: 'test/**', anything: true, why: 'tests reach everywhere' },
  { files: 'scripts/docs/**', anything: true, why: 'the generated pages describe tables of every folder' },

  {
    files: VERIFIER,
    node: true,
    why: 'the verifier of webhooks is for any receiver: Node only, and nothing of this project',
  },
  {
    files: SHARED,
    own: [SHARED],
    packages: ['zod'],
    why: 'shared holds types and schemas for every process: zod only',
  },
  {
    files: DOMAIN,
    own: [DOMAIN, SHARED],
    why: 'domain is pure: shared only, no Node, no library',
  },
  {
    files: 'main/agent/pipeline/**',
    own: [DOMAIN, SHARED, PORTS, ...STAGE_TOOLS],
    ownTypes: [JOURNAL],
    why: 'a stage imports domain, shared, ports and journal types; stages meet in the journal, never each other',
  },
  {
    files: JOURNAL,
    own: [JOURNAL, DOMAIN, SHARED, MAKE_FOLDER, HELD_FILE, PLAIN_FILE, MISSING_RIGHTS],
    ownTypes: [PORTS],
    packages: ['better-sqlite3', 'zod'],
    node: true,
    why: 'journal imports domain, shared, better-sqlite3, zod and Node',
  },
  {
    files: 'main/agent/service/**',
    own: ['main/agent/service/**', DOMAIN, SHARED, PORTS, PLAIN_FILE],
    packages: ['undici', 'zod'],
    node: true,
    why: 'service imports domain, ports, shared, undici, zod and Node',
  },
  {
    files: 'main/agent/platform/**',
    own: ['main/agent/platform/**', DOMAIN, SHARED, PORTS, DURABLE_FILE],
    packages: ['chokidar', 'koffi', 'picomatch'],
    node: true,
    why: 'platform imports domain, ports, shared, the durable file, chokidar, koffi, picomatch and Node',
  },
  {
    files: 'main/agent/status/**',
    own: ['main/agent/status/**', DOMAIN, SHARED, PORTS],
    ownTypes: [JOURNAL],
    why: 'status imports domain, shared, ports and journal types',
  },
  {
    files: PORTS,
    own: [DOMAIN, SHARED],
    why: 'ports are types over domain and shared',
  },
  {
    files: 'main/agent/**',
    own: [
      'main/agent/**',
      OWNER_ONLY,
      DATA_FOLDER_OWNER,
      MISSING_RIGHTS,
      MAKE_FOLDER,
      DURABLE_FILE,
      PLAIN_FILE,
      PROGRAM_LOG,
      MANAGED,
      SHARED,
    ],
    node: true,
    why: 'the agent is put together from main/agent, shared and Node; no Electron, no library of its own',
  },

  {
    files: 'main/sandbox/sandbox-process.ts',
    own: ['sandbox/server.ts', SHARED],
    node: true,
    why: 'the process of the embedded sandbox starts its server and knows nothing else of it, nor of the app',
  },
  {
    files: 'main/shell/hand-over/run-command.ts',
    own: ['main/shell/hand-over/end-start.ts'],
    node: true,
    computed: true,
    why: 'a command of the package is a program of its own, in the file beside main: this hands over and knows nothing of it',
  },
  {
    files: 'main/shell/**',
    own: [
      'main/shell/**',
      'main/supervisor/supervisor.ts',
      SHARED,
      HELD_FILE,
      DURABLE_FILE,
      PLAIN_FILE,
      MAKE_FOLDER,
      PROGRAM_LOG,
      MANAGED,
    ],
    packages: ['electron', 'zod'],
    node: true,
    why: 'shell imports shared, the supervisor, the program log, Electron, zod and Node; the agent is another process',
  },
  {
    files: 'main/supervisor/supervisor.ts',
    own: [SHARED],
    packages: ['electron'],
    node: true,
    why: 'the supervisor imports shared, Electron and Node; the agent is another process',
  },
  {
    files: 'main/index.ts',
    own: [
      'main/shell/**',
      'main/supervisor/supervisor.ts',
      MAKE_FOLDER,
      OWNER_ONLY,
      PROGRAM_LOG,
      MANAGED,
      SHARED,
    ],
    packages: ['electron'],
    node: true,
    why: 'main builds shell and supervisor; the agent is another process',
  },
  {
    files: PROGRAM_LOG,
    own: [PROGRAM_LOG, MAKE_FOLDER, PLAIN_FILE, SHARED],
    packages: ['electron-log'],
    node: true,
    why: 'writes and reads the log with electron-log and Node, for the app and for the agent, and knows neither',
  },
  {
    files: PLAIN_FILE,
    node: true,
    why: 'opens files that others may have prepared with Node, for the app and for the agent, and knows neither',
  },
  {
    files: MAKE_FOLDER,
    node: true,
    why: 'makes a folder with Node, for the app and for the agent, and knows neither',
  },
  {
    files: HELD_FILE,
    own: [PLAIN_FILE],
    node: true,
    why: 'renames and removes with patience and Node, for the app and for the agent, and knows neither',
  },
  {
    files: DURABLE_FILE,
    own: [HELD_FILE, PLAIN_FILE],
    node: true,
    why: 'writes a file that a power cut leaves whole with Node, for the app and for the agent, and knows neither',
  },
  {
    files: MANAGED,
    own: [MANAGED, SHARED, HELD_FILE, DURABLE_FILE, PLAIN_FILE, MAKE_FOLDER, MISSING_RIGHTS],
    packages: ['koffi'],
    node: true,
    why: 'managed settings import shared, koffi and Node: the app and the agent follow them alike, and they know neither',
  },
  {
    files: OWNER_ONLY,
    node: true,
    why: 'closes the data folder to others with Node, for the app and for the agent, and knows neither',
  },
  {
    files: DATA_FOLDER_OWNER,
    own: [OWNER_ONLY],
    node: true,
    why: 'gives what root wrote to the owner of the data folder with Node, for the agent, and knows it not',
  },
  {
    files: MISSING_RIGHTS,
    node: true,
    why: 'says with Node that rights are missing, for the app and for the agent, and knows neither',
  },
  {
    files: 'preload/**',
    own: ['preload/**', SHARED],
    packages: ['electron'],
    why: 'the preload is sandboxed: shared and Electron only',
  },
  {
    files: 'renderer/**',
    own: ['renderer/**', SHARED],
    packages: ['react', 'react-dom', 'react-aria-components', '@tanstack/react-virtual', 'uplot', 'zod'],
    why: 'the page is a browser: renderer, shared, zod and the React family',
  },
  {
    files: 'sandbox/**',
    own: ['sandbox/**'],
    ownTypes: ['shared/contract/control-api.ts'],
    packages: ['zod', 'better-sqlite3', 'undici', '@mcap/core'],
    node: true,
    why: "the sandbox shares only the contract's types, so that it cannot inherit a mistake of the client",
  },
]
