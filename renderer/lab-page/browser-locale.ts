import { setLocale } from '../../shared/words/format.ts'

// Must be the first import of the page: it sets the locale for all texts.
setLocale(navigator.language)
