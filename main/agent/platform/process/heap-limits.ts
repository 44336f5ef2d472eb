import { setFlagsFromString } from 'node:v8'

/*
 * Imported first by both entries. Loading the program alone makes V8's young generation grow to 32 MB, which it
 * then fills with short-lived garbage of the upload before it looks: measured on 3 GB, 20 MB less with this.
 */
setFlagsFromString('--semi-space-growth-factor=1')

/*
 * By itself V8 lets the old generation grow to some three times of what lives in it. Each look at thousands of
 * files leaves a list behind: measured on 30,000 dropped at once, 100 MB less with this, in the same time.
 */
setFlagsFromString('--heap-growing-percent=40')

/*
 * Drives that do not answer keep the thread that asked them. With the usual four, two hanging shares would leave none to
 * read recordings and to look up names.
 */
process.env.UV_THREADPOOL_SIZE ??= '32'
