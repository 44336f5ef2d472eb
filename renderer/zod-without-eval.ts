import { z } from 'zod'

// The page's CSP forbids eval, which zod uses for speed. Schemas read this setting when they are created, so this file
// must be imported before any file with a schema.
z.config({ jitless: true })
