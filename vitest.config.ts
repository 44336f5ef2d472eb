import { defineConfig } from 'vitest/config'
import { ClosingLines } from './test/support/closing-lines.ts'
import { FaultTable } from './test/support/faults/fault-table.ts'
import { PageTestSequencer } from './test/support/page-test-sequencer.ts'

/** Files that `long` runs again, with all random input and all variants. */
const AGAIN_IN_LONG = [
  'test/e2e/windowless-start.test.ts',
  'test/integration/{running-hashes,session-search,model/journal-lost,model/removals,model/stories}.test.ts',
  'test/unit/main/agent/domain/forecast.test.ts',
  'test/unit/main/agent/journal/{night-counts,prove-journal,work-queue}.test.ts',
  'test/unit/main/agent/status/status-consistency.test.ts',
  'test/unit/renderer/features/transfer/upload-week.test.ts',
  'test/unit/server/storage/block-writer.test.ts',
  'test/unit/shared/{formats/corpus,redaction/redact,webhook-verifier/verify-webhook}.test.ts',
]

/** A page test that `long` runs again, with all views, and in the dark theme too. */
const PAGE_AGAIN_IN_LONG = 'test/page/accessibility.test.ts'

/** The station outside the page and the browser tell the same time. */
const PAGE_ENV = { TZ: 'Europe/Berlin', LC_ALL: 'C.UTF-8' }

/**
 * Window tests that `long` runs attached to an agent outside the app. The others test what has no second mode:
 * - attached: starts its own agents. window-start-time: compares both modes itself.
 * - keychain: the keychain is the app's. built-in-sandbox, try-out: the app's own sandbox.
 * - start: the start of the app with npm, before any agent. windowless-start: starts that exit before any agent.
 */
const AGAIN_ATTACHED = [
  'test/e2e/{first-run,lifecycle,tray,unload-page}.test.ts',
  'test/long/window/{managed,second-start,security,session-end,settings-file}.test.ts',
]

/** A file of `long` that the soak runs again, with ten power cuts instead of two. */
const AGAIN_IN_SOAK = 'test/long/package-power-cut.test.ts'

const FLEET = 'test/soak/fifty-stations.test.ts'

export default defineConfig({
  test: {
    pool: 'forks',
    // Four for each of two cores: most files wait for processes, timers and the service.
    maxWorkers: 8,
    // Modules keep no state here, so a worker loads them once and not once a file.
    isolate: false,
    // Nobody's own locale, so that what the programs write is the same on every computer.
    // The tests may run in a container, together with the recorders that they start.
    env: { LC_ALL: 'C.UTF-8', SLUICE_RECORDERS_IN_CONTAINER: '1' },
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // A condition is waited for; the limit only bounds a broken run.
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: PageTestSequencer },
    reporters: [
      new ClosingLines(),
      new FaultTable(),
      ...(process.env.GITHUB_ACTIONS === 'true' ? ['github-actions'] : []),
    ],
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'contract', include: ['test/contract/**/*.test.ts'], testTimeout: 600_000 },
      },
      {
        extends: true,
        test: { name: 'integration', include: ['test/integration/**/*.test.ts'], testTimeout: 900_000 },
      },
      {
        extends: true,
        test: {
          name: 'page',
          include: ['test/page/**/*.test.{ts,tsx}'],
          globalSetup: 'test/page/browser/global-setup.ts',
          testTimeout: 300_000,
          env: PAGE_ENV,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 300_000,
        },
      },
      // By name only, `npm test -- long`, before a change of the agent lands: kills, sizes, and variants of other tests.
      {
        extends: true,
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts', ...AGAIN_IN_LONG],
          exclude: ['test/long/page/**'],
          env: { SLUICE_LONG: '1' },
          testTimeout: 900_000,
        },
      },
      // The second part of `npm test -- long`.
      {
        extends: true,
        test: {
          name: 'long-page',
          include: ['test/long/page/**/*.test.ts', PAGE_AGAIN_IN_LONG],
          globalSetup: 'test/page/browser/global-setup.ts',
          env: { ...PAGE_ENV, SLUICE_LONG: '1' },
          testTimeout: 900_000,
        },
      },
      // The third part of `npm test -- long`.
      {
        extends: true,
        test: {
          name: 'long-attached',
          include: AGAIN_ATTACHED,
          env: { SLUICE_WINDOW_AGENT: 'attached' },
          testTimeout: 300_000,
        },
      },
      // By name only, through `npm run test:windows`: on Windows, or with its Node under Wine.
      {
        extends: true,
        test: {
          name: 'windows',
          include: ['test/windows/**/*.test.ts'],
          // Wine takes seconds for each start of a process, and many on a busy computer.
          testTimeout: 1_800_000,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      // By name only, through `npm run soak`.
      {
        extends: true,
        test: {
          name: 'soak',
          include: ['test/soak/**/*.test.ts', AGAIN_IN_SOAK],
          exclude: [FLEET],
          testTimeout: 24 * 3_600_000,
          // One for all that are played by chance, so that the whole run can be repeated.
          env: { SLUICE_SEED: process.env.SLUICE_SEED ?? String(Math.floor(Math.random() * 2 ** 31)) },
        },
      },
      // The last part of `npm run soak`, alone: fifty agents use the whole computer.
      {
        extends: true,
        test: {
          name: 'soak-fleet',
          include: [FLEET],
          testTimeout: 24 * 3_600_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
