// Must be the first import: it has to run before any schema is created.
import './zod-without-eval.ts'

/** All screens except the overview. A separate bundle, loaded after the first paint. */
export { Activity } from './features/activity/Activity.tsx'
export { Diagnostics } from './features/diagnostics/Diagnostics.tsx'
export { Folders } from './features/folders/Folders.tsx'
export { General } from './features/general/General.tsx'
export { Monitoring } from './features/monitoring/Monitoring.tsx'
export { Recordings } from './features/recordings/Recordings.tsx'
export { Service } from './features/service/Service.tsx'
export { Sessions } from './features/sessions/Sessions.tsx'
export { Transfer } from './features/transfer/Transfer.tsx'
