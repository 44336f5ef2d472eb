// Must be the first import: it has to run before any schema is created.
import './zod-without-eval.ts'

/** The first screen of a new station. It has its own bundle, so that it does not wait for the other screens. */
export { FirstRun } from './features/first-run/FirstRun.tsx'
