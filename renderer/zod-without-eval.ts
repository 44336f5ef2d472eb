import { z } from 'zod'

// zod uses eval for speed, but the page's CSP forbids eval. A schema reads this setting when it is created, so import
// this file before any schema.
z.config({ jitless: true })
