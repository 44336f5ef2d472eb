import { setFlagsFromString } from 'node:v8'

/*
 * Imported first by the command. Left alone, V8 lets its young generation grow to 128 MB under a thousand
 * connections and its old one to twice what is alive; a sandbox beside the app should stay small. Neither
 * flag changes what is kept, only how soon the rest is collected.
 */
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--heap-growing-percent=20')
