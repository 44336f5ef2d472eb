/** The sign-in page that a guest network sends instead of the service's answer. */
export const captivePortal = '<!doctype html><title>Sign in</title><h1>Welcome to the guest network</h1>'
