/** `npm run demo` gives its station this name, so that window, tray and terminal show it. */
export const DEMO_STATION = 'Demo (simulated)'

export const DEMO_SENTENCE = 'Demo: the recorder, its recordings and the service are simulated.'
