/** §5.3: a test key belongs to a sandbox organisation. Only its prefix shows this; no answer of the service does. */
export const isTestKey = (apiKey: string): boolean => /^svc_test_/i.test(apiKey)

export const isLiveKey = (apiKey: string): boolean => /^svc_live_/i.test(apiKey)
