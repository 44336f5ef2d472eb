import { setLocale } from '../shared/words/format.ts'
import { bridge } from './bridge.ts'

// Must be the first import of the page: it sets the locale for all texts.
setLocale(bridge.locale)
