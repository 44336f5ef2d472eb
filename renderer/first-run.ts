// First of all: every file with a schema in it is behind this one.
import './zod-without-eval.ts'

/** What a station that is not set up yet opens on. A file of its own: it waits for no other screen. */
export { FirstRun } from './features/first-run/FirstRun.tsx'
