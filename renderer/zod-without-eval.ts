import { z } from 'zod'

// The page's policy forbids code made from strings, which zod would otherwise try for speed. A schema takes
// this down when it is made, so this file has to be imported before any file with a schema in it.
z.config({ jitless: true })
