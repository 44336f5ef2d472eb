import { setFlagsFromString } from 'node:v8'

/*
 * The command imports this first. By default, V8 lets the young generation grow to 128 MB with a thousand connections, and the
 * old one to twice the live data. A sandbox beside the app should stay small. Both flags only make V8 collect earlier.
 */
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--heap-growing-percent=20')
