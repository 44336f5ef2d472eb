import type { TestProject } from 'vitest/node'
import { createPageFixtures } from './page-fixtures.ts'
import type { PageFixtures } from './page-pool.ts'

declare module 'vitest' {
  interface ProvidedContext {
    pageFixtures: PageFixtures
  }
}

export const setup = async (project: TestProject): Promise<() => void> => {
  const { fixtures, remove } = await createPageFixtures()
  project.provide('pageFixtures', fixtures)
  return remove
}
