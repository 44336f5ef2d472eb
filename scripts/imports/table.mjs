/**
 * The import rules. Each entry is a room (a folder), the most basic first. A room may import only rooms above its
 * entry, so folders cannot form a cycle. Every new folder needs an entry.
 *
 * @typedef {object} Room
 * @property {string} folder with its subfolders, unless these are rooms of their own. If the path ends in `*`, only the
 *   files directly in the folder
 * @property {readonly string[]} [mayImport] rooms whose code it may import
 * @property {readonly string[]} [mayImportTypes] rooms it may import with `import type` only
 * @property {readonly string[]} [packages] npm packages it may import
 * @property {boolean} [mayImportNode] may import `node:` builtins
 * @property {boolean} [mayImportComputed] may import a module whose name is computed
 * @property {boolean} [hasNoRules] may import everything
 * @property {string} why the sentence that a violation prints
 */

const VERIFIER = 'shared/webhook-verifier'
const FORMATS = 'shared/formats'
const LOCAL_FILES = 'main/local-files'
const MEMORY = 'main/memory'
const LOG = 'main/program-log'
const MANAGED = 'main/managed'
const STATION_STORE = 'main/station-store'
const ENDPOINT = 'main/endpoint'
const AGENT = 'main/agent'
const DOMAIN = `${AGENT}/domain`
const PORTS = `${AGENT}/ports`
const JOURNAL = `${AGENT}/journal`
const PLATFORM = `${AGENT}/platform`
const SERVICE = `${AGENT}/service`
const STAGE = `${AGENT}/stage`
const STATION = `${AGENT}/station`
const OUTLOOK = `${AGENT}/outlook`
const STATUS = `${AGENT}/status`
const SESSIONS = `${AGENT}/sessions`
const INSPECTION = `${AGENT}/inspection`
const REMOVAL = `${AGENT}/removal`
const MONITORING = `${AGENT}/monitoring`
const UPDATE = `${AGENT}/update`
const ASSEMBLY = `${AGENT}/assembly`
const CALLS = `${AGENT}/calls`
const FLOW = ['watch', 'settle', 'hash', 'open', 'upload', 'complete', 'follow'].map(
  (step) => `${AGENT}/flow/${step}`,
)
/** The rooms that every stage may import. */
const BASE = ['shared', DOMAIN, PORTS, STAGE]

/** @type {readonly Room[]} */
export const ROOMS = [
  { folder: 'test', hasNoRules: true, why: 'tests may import everything' },
  { folder: 'scripts/docs', hasNoRules: true, why: 'generated pages describe tables of every folder' },

  { folder: VERIFIER, mayImportNode: true, why: 'other receivers copy the webhook verifier: Node only' },
  {
    folder: 'shared',
    packages: ['zod', 'jsonc-parser'],
    why: 'shared serves every process: zod and jsonc-parser only',
  },
  {
    folder: FORMATS,
    mayImport: ['shared'],
    packages: ['@mcap/core', 'yaml', 'zod'],
    mayImportNode: true,
    why: 'formats reads recordings for agent and server: shared, the libraries of the formats and Node',
  },

  { folder: LOCAL_FILES, mayImportNode: true, why: 'local-files uses Node only; app and agent share it' },
  {
    folder: MEMORY,
    packages: ['koffi'],
    mayImportNode: true,
    why: 'memory uses koffi and Node only; app and agent share it',
  },
  {
    folder: LOG,
    mayImport: ['shared', LOCAL_FILES],
    packages: ['electron-log'],
    mayImportNode: true,
    why: 'the program log uses shared, local-files, electron-log and Node; app and agent share it',
  },
  {
    folder: MANAGED,
    mayImport: ['shared', LOCAL_FILES],
    packages: ['koffi'],
    mayImportNode: true,
    why: 'managed settings use shared, local-files, koffi and Node; app and agent share them',
  },

  {
    folder: STATION_STORE,
    mayImport: ['shared', LOCAL_FILES, LOG, MANAGED],
    packages: ['zod'],
    mayImportNode: true,
    why: 'station-store keeps settings and secrets: shared, local-files, the log, managed settings, zod and Node; app and agent share it',
  },

  {
    folder: ENDPOINT,
    mayImport: ['shared', LOCAL_FILES, MANAGED],
    packages: ['koffi', 'zod'],
    mayImportNode: true,
    why: 'endpoint connects agent, windows and commands of one PC: shared, local-files, managed, koffi, zod and Node',
  },

  { folder: DOMAIN, mayImport: ['shared'], why: 'domain is pure: shared only, no Node, no library' },
  { folder: PORTS, mayImport: ['shared', DOMAIN], why: 'ports are types over domain and shared' },
  {
    folder: JOURNAL,
    mayImport: ['shared', LOCAL_FILES, DOMAIN],
    mayImportTypes: [PORTS],
    packages: ['better-sqlite3', 'zod'],
    mayImportNode: true,
    why: 'journal contains the only SQL of the agent: domain, port types, shared, local-files, better-sqlite3, zod and Node',
  },
  {
    folder: PLATFORM,
    mayImport: ['shared', FORMATS, LOCAL_FILES, DOMAIN, PORTS],
    packages: ['chokidar', 'koffi', 'picomatch'],
    mayImportNode: true,
    why: 'platform uses domain, ports, shared, formats, local-files, chokidar, koffi, picomatch and Node',
  },
  {
    folder: SERVICE,
    mayImport: ['shared', VERIFIER, LOCAL_FILES, DOMAIN, PORTS],
    packages: ['undici', 'zod'],
    mayImportNode: true,
    why: 'service contains the only HTTP of the agent: domain, ports, shared, the webhook verifier, local-files, undici, zod and Node',
  },
  {
    folder: STAGE,
    mayImport: ['shared', DOMAIN, PORTS, JOURNAL],
    why: 'stage holds the code that all stages share: domain, ports, shared and journal',
  },
  {
    folder: STATION,
    mayImport: [...BASE, JOURNAL, SERVICE],
    mayImportNode: true,
    why: 'station keeps the conditions: shared, domain, ports, stage, journal, service and Node',
  },
  {
    folder: OUTLOOK,
    mayImport: [...BASE, STATION],
    mayImportTypes: [JOURNAL],
    why: 'outlook forecasts from journal rows: shared, domain, ports, stage, station and journal types',
  },
  {
    folder: STATUS,
    mayImport: [...BASE, STATION, OUTLOOK],
    mayImportTypes: [JOURNAL],
    why: 'status turns journal rows into the snapshot: shared, domain, ports, stage, station, outlook and journal types',
  },
  {
    folder: SESSIONS,
    mayImport: BASE,
    mayImportTypes: [JOURNAL],
    why: 'sessions holds the session code that several steps share: shared, domain, ports, stage and journal types',
  },
  ...FLOW.map((folder) => ({
    folder,
    mayImport: [...BASE, SESSIONS],
    mayImportTypes: [JOURNAL],
    why: 'a step of the flow uses shared, domain, ports, stage, sessions and journal types; steps exchange data through the journal and never import each other',
  })),
  {
    folder: INSPECTION,
    mayImport: BASE,
    mayImportTypes: [JOURNAL],
    why: 'inspection uses shared, domain, ports, stage and journal types',
  },
  {
    folder: REMOVAL,
    mayImport: BASE,
    mayImportTypes: [JOURNAL],
    why: 'removal uses shared, domain, ports, stage and journal types',
  },
  {
    folder: MONITORING,
    mayImport: [...BASE, STATION, STATUS, SERVICE],
    mayImportTypes: [JOURNAL],
    why: 'monitoring reports to external systems: shared, domain, ports, stage, station, status, service and journal types',
  },
  {
    folder: UPDATE,
    mayImport: [...BASE, LOCAL_FILES, SERVICE],
    mayImportTypes: [JOURNAL],
    mayImportNode: true,
    why: 'update checks the feed and installs new versions: shared, local-files, domain, ports, stage, service, journal types and Node',
  },
  {
    folder: ASSEMBLY,
    mayImport: [
      ...BASE,
      JOURNAL,
      PLATFORM,
      SERVICE,
      STATION,
      OUTLOOK,
      STATUS,
      SESSIONS,
      ...FLOW,
      INSPECTION,
      REMOVAL,
      MONITORING,
      UPDATE,
    ],
    mayImportNode: true,
    why: 'assembly builds the agent from its rooms and Node',
  },
  {
    folder: CALLS,
    mayImport: [
      ...BASE,
      LOCAL_FILES,
      JOURNAL,
      PLATFORM,
      SERVICE,
      STATION,
      STATUS,
      OUTLOOK,
      SESSIONS,
      REMOVAL,
      MONITORING,
      ASSEMBLY,
    ],
    mayImportNode: true,
    why: 'calls answers the window and the commands: the rooms of the agent and Node',
  },
  {
    folder: `${AGENT}/*`,
    mayImport: [
      'shared',
      LOG,
      LOCAL_FILES,
      MEMORY,
      ENDPOINT,
      ...BASE,
      PLATFORM,
      JOURNAL,
      ASSEMBLY,
      CALLS,
      STATUS,
    ],
    mayImportNode: true,
    why: 'the process of the agent starts assembly and calls',
  },
  {
    folder: 'main/cli',
    mayImport: [
      'shared',
      LOCAL_FILES,
      MEMORY,
      LOG,
      MANAGED,
      STATION_STORE,
      ENDPOINT,
      `${AGENT}/*`,
      DOMAIN,
      PORTS,
      JOURNAL,
      PLATFORM,
      SERVICE,
      STAGE,
      STATION,
      OUTLOOK,
      STATUS,
      SESSIONS,
      UPDATE,
      ASSEMBLY,
      CALLS,
    ],
    mayImportNode: true,
    why: 'the commands use the rooms of the agent, managed settings and Node; no Electron',
  },

  {
    folder: 'server',
    mayImport: [FORMATS],
    mayImportTypes: ['shared'],
    packages: [
      'zod',
      'better-sqlite3',
      'pg',
      '@aws-sdk/client-s3',
      'undici',
      '@mcap/core',
      'hash-wasm',
      'koffi',
    ],
    mayImportNode: true,
    why: "the server imports only the contract's types and the formats, so that it cannot inherit a mistake of the client",
  },
  {
    folder: 'sandbox',
    mayImport: ['server'],
    mayImportTypes: ['shared'],
    packages: ['zod', '@mcap/core'],
    mayImportNode: true,
    why: 'the sandbox is a test bench on top of the server: server, zod, mcap, Node and only the types of shared',
  },
  {
    folder: 'main/sandbox',
    mayImport: ['shared', 'sandbox'],
    mayImportNode: true,
    why: 'the process of the embedded sandbox starts the sandbox: shared, sandbox and Node',
  },
  {
    folder: 'main/supervisor',
    mayImport: ['shared', ENDPOINT],
    packages: ['electron'],
    mayImportNode: true,
    why: 'the supervisor uses shared, the endpoint, Electron and Node; the agent is a different process',
  },
  {
    folder: 'main/shell/early-exit',
    mayImportNode: true,
    mayImportComputed: true,
    why: 'early-exit loads the program of the commands by a computed name, and otherwise uses Node only',
  },
  {
    folder: 'main/shell',
    mayImport: [
      'shared',
      LOCAL_FILES,
      MEMORY,
      LOG,
      MANAGED,
      STATION_STORE,
      'main/supervisor',
      'main/shell/early-exit',
    ],
    packages: ['electron', 'zod'],
    mayImportNode: true,
    why: 'shell uses shared, local-files, memory, the log, managed settings, station-store, the supervisor, early-exit, Electron, zod and Node; the agent is a different process',
  },
  {
    folder: 'main/*',
    mayImport: [
      'shared',
      LOCAL_FILES,
      LOG,
      MANAGED,
      STATION_STORE,
      ENDPOINT,
      'main/supervisor',
      'main/shell',
      'main/shell/early-exit',
    ],
    packages: ['electron'],
    mayImportNode: true,
    why: 'main builds shell and supervisor; the agent is a different process',
  },
  {
    folder: 'preload',
    mayImport: ['shared'],
    packages: ['electron'],
    why: 'the preload is sandboxed: shared and Electron only',
  },
  {
    folder: 'renderer',
    mayImport: ['shared'],
    packages: ['react', 'react-dom', 'react-aria-components', '@tanstack/react-virtual', 'uplot', 'zod'],
    why: 'the page runs in a browser: renderer, shared, zod, uplot and the React family',
  },
  {
    folder: 'renderer/lab-page',
    mayImport: ['shared', 'renderer'],
    packages: ['react', 'react-dom', 'react-aria-components'],
    why: "the lab's page runs in a browser: components of renderer that do not use the bridge, shared and React",
  },
]
