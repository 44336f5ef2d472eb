/** §5.3: a test key opens a sandbox organisation. Its prefix tells, and the service has no other way to say so. */
export const isTestKey = (apiKey: string): boolean => /^svc_test_/i.test(apiKey)

export const isLiveKey = (apiKey: string): boolean => /^svc_live_/i.test(apiKey)
