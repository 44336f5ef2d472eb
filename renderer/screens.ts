// First of all: every file with a schema in it is behind this one.
import './zod-without-eval.ts'

/** Every screen but the one the window opens on. A file of its own, so that it is read after the first paint. */
export { Activity } from './features/activity/Activity.tsx'
export { Appearance } from './features/appearance/Appearance.tsx'
export { Diagnostics } from './features/diagnostics/Diagnostics.tsx'
export { Folders } from './features/folders/Folders.tsx'
export { Monitoring } from './features/monitoring/Monitoring.tsx'
export { Recordings } from './features/recordings/Recordings.tsx'
export { Service } from './features/service/Service.tsx'
export { Sessions } from './features/sessions/Sessions.tsx'
export { Transfer } from './features/transfer/Transfer.tsx'
