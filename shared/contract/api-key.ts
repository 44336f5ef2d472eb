/** §5.3: a test key belongs to a sandbox organisation. Only the prefix of a key shows this; no answer does. */
export const isTestKey = (apiKey: string): boolean => /^svc_test_/i.test(apiKey)

export const isLiveKey = (apiKey: string): boolean => /^svc_live_/i.test(apiKey)
