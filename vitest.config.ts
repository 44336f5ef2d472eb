import { defineConfig } from 'vitest/config'
import { ClosingLines } from './test/support/closing-lines.ts'
import { FaultTable } from './test/support/faults/fault-table.ts'
import { PageTestSequencer } from './test/support/page-test-sequencer.ts'

/** Test files that the project `long` runs again, with all random input and all variants. */
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

/** The browser and the station that runs outside the page use the same time zone. */
const PAGE_ENV = { TZ: 'Europe/Berlin', LC_ALL: 'C.UTF-8' }

/**
 * Window tests that `long` runs again, with the window attached to an agent outside the app. The other window tests need
 * no such run:
 * - `attached` starts its own agents, and `window-start-time` compares an agent inside and one outside the app.
 * - `keychain` is about the app's keychain, and `built-in-sandbox` and `try-out` are about the app's own sandbox.
 * - `start` and `windowless-start` are about the time before any agent runs.
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
    // Four workers for each of two cores, because most test files wait for processes, timers and the service.
    maxWorkers: 8,
    // The modules have no state, so each worker loads them once instead of once per file.
    isolate: false,
    // LC_ALL makes programs write the same text on every computer. SLUICE_RECORDERS_IN_CONTAINER tells the agent that
    // recorders run in the container of the agent, if there is one.
    env: { LC_ALL: 'C.UTF-8', SLUICE_RECORDERS_IN_CONTAINER: '1' },
    testTimeout: 120_000,
    hookTimeout: 300_000,
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
      // Only `npm test -- long` runs these: kills, large files, and variants of other tests.
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
      // Only `npm run test:windows` runs these: on Windows, or on Windows' Node under Wine.
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
      // Only `npm run soak` runs these.
      {
        extends: true,
        test: {
          name: 'soak',
          include: ['test/soak/**/*.test.ts', AGAIN_IN_SOAK],
          exclude: [FLEET],
          testTimeout: 24 * 3_600_000,
          // All random tests share this seed, so that the whole run can be repeated.
          env: { SLUICE_SEED: process.env.SLUICE_SEED ?? String(Math.floor(Math.random() * 2 ** 31)) },
        },
      },
      // The last part of `npm run soak`. It runs alone, because fifty agents use the whole computer.
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
