import { setFlagsFromString } from 'node:v8'

/*
 * Import this file first. Both flags make V8 collect garbage earlier, because a sandbox beside the app should stay
 * small. By default, a thousand connections make the young generation grow to 128 MB.
 */
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--heap-growing-percent=20')
