/** Shown wherever the station's status is shown, as long as the key is a test key (§5.3). */
export const TEST_KEY_SENTENCE = 'Test key: nothing here reaches production.'
