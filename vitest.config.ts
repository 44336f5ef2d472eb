import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    pool: 'forks',
    // Most of them wait, for files to stand still or for processes to end: more than the two cores they are made for.
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 300_000,
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
        test: { name: 'page', include: ['test/page/**/*.test.{ts,tsx}'], testTimeout: 300_000 },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 300_000,
        },
      },
      // By name only, through `npm run soak`.
      {
        extends: true,
        test: { name: 'soak', include: ['test/soak/**/*.test.ts'], testTimeout: 24 * 3_600_000 },
      },
    ],
  },
})
