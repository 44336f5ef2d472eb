/**
 * §5.3: a test key belongs to a sandbox organisation. Answers of the service do not show this, only the prefix of the
 * key does.
 */
export const isTestKey = (apiKey: string): boolean => /^svc_test_/i.test(apiKey)

export const isLiveKey = (apiKey: string): boolean => /^svc_live_/i.test(apiKey)
