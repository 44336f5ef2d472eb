import type { TestProject } from 'vitest/node'
import { prepare } from './prepare.ts'
import type { Given } from './stage.ts'

declare module 'vitest' {
  interface ProvidedContext {
    stageGiven: Given
  }
}

export const setup = async (project: TestProject): Promise<() => void> => {
  const { given, clear } = await prepare()
  project.provide('stageGiven', given)
  return clear
}
