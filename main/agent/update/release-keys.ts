/**
 * The public keys for the signature of an update feed, as `npm run feed` prints them. `CONTRIBUTING.md` explains when
 * to add a key. A release that replaces a key lists the old and the new one. The list is empty before the first
 * release: until then, a site signs its own feed, and `updates.feed_key` in the managed settings holds the site's key.
 */
export const releaseKeys: readonly string[] = []
