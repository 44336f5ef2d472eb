import { setFlagsFromString } from 'node:v8'

/*
 * The sandbox command imports this file first. With a thousand connections, V8's young generation grows to 128 MB by
 * default, and the old generation to twice the live data. A sandbox beside the app should stay small. Both flags only
 * make V8 collect garbage earlier.
 */
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--heap-growing-percent=20')
