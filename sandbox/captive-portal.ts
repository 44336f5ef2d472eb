/** What a guest network answers in place of the service. */
export const captivePortal = '<!doctype html><title>Sign in</title><h1>Welcome to the guest network</h1>'
