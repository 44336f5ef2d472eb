import { writeFor } from '../shared/format.ts'
import { bridge } from './bridge.ts'

// The first import of the page, so that no text is written before it.
writeFor(bridge.locale)
