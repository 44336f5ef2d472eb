/**
 * The public keys that may sign an update feed, as `npm run feed` prints them. CONTRIBUTING.md explains when to add a
 * key. A release that changes its key lists the old and the new key. The list is empty before the first release: until
 * then, a site signs its own feed, and `updates.feed_key` of the managed settings names its key.
 */
export const releaseKeys: readonly string[] = []
