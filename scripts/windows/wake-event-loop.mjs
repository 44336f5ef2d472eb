// Every Node process of the Windows tests under Wine loads this file first. In Node 26.7.0, `fetch` sends a request on
// an idle connection only when the next event or timer wakes the process, up to a minute later (nodejs/undici#5600,
// fixed in undici 8.10.1). The timer below wakes the process often, without keeping it alive.
const WAKE_INTERVAL_MS = 50

setInterval(() => {}, WAKE_INTERVAL_MS).unref()
