/**
 * Every fault that `npm run soak` runs: what happens, and how it must end. `test/support/faults/promises.ts` checks the
 * promises that hold after every fault. This file is plain JavaScript, because `scripts/test.mjs` also reads the names.
 */
export const faults = /** @type {const} */ ([
  {
    name: 'kill-agent',
    action: 'the agent gets SIGKILL 800 times, in every state of a recording',
    end: 'every state was hit; the next start continues; no part with a journaled ETag is sent again',
  },
  {
    name: 'kill-main',
    action: 'the app’s main process gets SIGKILL 100 times',
    end: 'the agent ends with the main process; the next start of the app continues',
  },
  {
    name: 'kill-both',
    action: 'the app’s main process and its agent get SIGKILL at the same moment, 100 times',
    end: 'the next start of the app continues',
  },
  {
    name: 'stopped-process',
    action:
      'the agent is stopped (SIGSTOP) for 70 s in the middle of an upload; URLs expire after 20 s; the service closes idle connections after 2 s, the agent after 60 s',
    end: 'after SIGCONT, the agent fetches new URLs and sends only the missing parts, in one session',
  },
  {
    name: 'clock-ahead',
    action: 'the PC’s clock jumps 24 h ahead in the middle of an upload, and back once the uploads are done',
    end: 'no PUT is refused because of its URL; each recording has one session',
  },
  {
    name: 'clock-behind',
    action: 'the PC’s clock jumps 24 h back in the middle of an upload',
    end: 'no PUT is refused because of its URL; each recording has one session',
  },
  {
    name: 'journal-disk-full',
    action: 'the journal’s disk is filled to the last byte in the middle of an upload, then freed',
    end: 'the agent reports the full disk, keeps running, and continues by itself',
  },
  {
    name: 'journal-locked',
    action: 'another program locks the journal for 30 s in the middle of an upload',
    end: 'the agent continues without a restart when the lock is released',
  },
  {
    name: 'journal-corrupt',
    action: 'pages of the journal are overwritten after kill -9 in the middle of an upload',
    end: 'Sluice keeps the damaged file, restores a backup or rebuilds the journal, and finds the session again; if it cannot derive the ETags of that session’s parts, it uploads into a new session and leaves the old one open; it does not send a recording again if its session is complete',
  },
  {
    name: 'journal-empty',
    action: 'the journal is cut to zero bytes after kill -9 in the middle of an upload',
    end: 'Sluice restores a backup or rebuilds the journal, and finds the session again; it does not send a recording again if its session is complete',
  },
  {
    name: 'journal-wal-missing',
    action: '`journal.db-wal` and `journal.db-shm` are removed after kill -9 in the middle of an upload',
    end: 'the service supplies the data that only the WAL had; each recording has one complete session',
  },
  {
    name: 'file-replaced',
    action:
      'a different file is renamed over one recording during hashing, and over a second one during upload',
    end: 'the new content is complete, and the session of the old content is deleted',
  },
  {
    name: 'file-truncated',
    action: 'one recording is cut to 1,234 bytes during hashing, and a second one during upload',
    end: 'the new content is complete, and the session of the old content is deleted',
  },
  {
    name: 'file-appended',
    action: 'bytes are added to one recording during hashing, and to a second one during upload',
    end: 'the new content is complete, and the session of the old content is deleted',
  },
  {
    name: 'file-edited-unseen',
    action:
      'bytes of one recording are changed during hashing, and of a second one during upload; each file then gets its old mtime again',
    end: 'the new content is complete, and the session of the old content is deleted',
  },
  {
    name: 'keychain-locked',
    action:
      'the app starts while the keychain is locked; the keychain is unlocked, and the app starts again, as at the next login',
    end: 'recordings are hashed and wait, without a request to the service; the next start continues, and no user has to type a key (Electron reads the keychain once per start)',
  },
  {
    name: 'url-expired',
    action: 'every URL signed so far becomes invalid in the middle of an upload',
    end: 'the agent fetches new URLs; each part is stored once',
  },
  {
    name: 'foreign-403',
    action: 'a gateway answers with its own 403 page, first to every PUT and later to every API call',
    end: 'the station has a condition while the gateway answers, and no recording fails; each recording has one session',
  },
  {
    name: 'etag-missing',
    action: 'the first two answers to parts carry no ETag',
    end: 'the agent sends only these parts again',
  },
  {
    name: 'etag-wrong',
    action: 'the first answer to a part carries a different ETag from the stored one',
    end: 'the service refuses the completion, and the agent sends all parts again, in the same session',
  },
  {
    name: 'mismatch-unchanged',
    action: 'a completion is answered with 409 checksum_mismatch, although the file is unchanged',
    end: 'the agent hashes the file again and sends all parts again, in the same session',
  },
  {
    name: 'mismatch-changed',
    action:
      'a completion is answered with 409 checksum_mismatch, because the file was edited and its mtime restored',
    end: 'a new session has the new content, and the old session is deleted',
  },
  {
    name: 'rate-limited',
    action: 'a creation is answered with 429 and Retry-After 120; the 120 s are real time',
    end: 'the agent makes no API call for 120 s, but continues to send parts whose URLs it has; then it sends everything else, and no part twice',
  },
  {
    name: 'server-errors',
    action: '30 % of all requests, chosen at random, are answered with 500, 502 or 503',
    end: 'all recordings are processed, with at most 1.6 times as many requests as without faults',
  },
  {
    name: 'lost-create',
    action: 'the answers to the first four creations are lost',
    end: 'the agent repeats the requests with the same idempotency keys, and no second session is created',
  },
  {
    name: 'lost-part',
    action: 'the answers to the first four parts are lost',
    end: 'the agent sends these parts again to get their ETags; each recording has one session',
  },
  {
    name: 'lost-complete',
    action: 'the answers to the first four completions are lost',
    end: 'the agent retrieves the sessions; none is completed twice',
  },
  {
    name: 'byte-a-second',
    action: 'parts and the API’s answers travel at one byte per second for 30 s',
    end: 'uploads continue when the network is fast again',
  },
  {
    name: 'half-open',
    action: 'packets vanish on the wire for 75 s, in a network namespace: no reset, no refusal',
    end: 'the agent detects the silence, and everything continues when packets arrive again',
  },
  {
    name: 'captive-portal',
    action: 'every request is answered with a sign-in page, later with a redirect to it',
    end: 'the station has one condition while the page answers; each recording has one session',
  },
  {
    name: 'storage-down',
    action: 'no program listens at the storage for 20 s; the control API answers',
    end: 'the agent makes at most 20 calls meanwhile; then it sends only the missing parts',
  },
  {
    name: 'control-down',
    action: 'no program listens at the control API for 20 s; the storage answers',
    end: 'parts in flight arrive; then the agent completes each recording in one session',
  },
  {
    name: 'dns-gone',
    action: 'the service’s name cannot be looked up for 20 s, in the middle of an upload',
    end: 'the station has a condition while the name is missing; then the agent sends only the missing parts',
  },
  {
    name: 'proxy-407',
    action: 'the proxy requires a sign-in (407) for 15 s, and then lets requests through',
    end: 'the station has the condition proxy-sign-in; then everything continues by itself',
  },
  {
    name: 'wrong-chain',
    action: 'the service’s certificate has no trusted chain; later the administrator’s settings name the CA',
    end: 'the station has the condition certificate-refused and sends no byte; with the CA everything continues without a restart',
  },
  {
    name: 'burst-30000',
    action: '30,000 files appear at the same time while the service is down; then the service is back',
    end: 'the agent queues each file exactly once, in less than 280 MiB of memory, and completes each in one session',
  },
  {
    name: 'unmounted',
    action: 'the recordings’ drive is unmounted in the middle of an upload, and mounted again',
    end: 'the folder is offline and no recording counts as missing; then only the missing parts are sent',
  },
  {
    name: 'other-volume',
    action: 'a different drive is mounted at the folder’s path, then the right one again',
    end: 'nothing of the other drive is uploaded; the recordings of the right drive continue',
  },
  {
    name: 'existing-100000',
    action:
      'the folder has 100,000 files before Sluice first watches it, and the settings ignore existing files',
    end: 'none of them is uploaded, and new files are processed',
  },
  {
    name: 'sparse-terabyte',
    action:
      'a sparse file of 1 TB appears, then a recording; the sparse file is cut short while it is being hashed',
    end: 'the recording does not wait for the sparse file; memory stays under 200 MiB; the shortened file is processed',
  },
  {
    name: 'unicode-twins',
    action: 'two files have names that differ only in their Unicode form (NFC, NFD)',
    end: 'both files become recordings with their own sessions',
  },
  {
    name: 'invalid-name',
    action: 'a file has a name that is not valid UTF-8, and is renamed later',
    end: 'the folder shows a problem until the file is renamed; other files continue; the renamed file is processed',
  },
  {
    name: 'session-deleted',
    action:
      'a user deletes four sessions: one during upload, one during completion, one during processing, one after processing',
    end: 'if the session was not complete, Sluice creates a new one; if it was complete, Sluice sends the recording again only if the user asks for it; if the service was still processing it, Sluice shows the loss',
  },
  {
    name: 'two-agents',
    action: 'a second agent is started on the same journal, ten times',
    end: 'the second agent is refused with exit code 1 and one sentence; the first agent continues',
  },
  {
    name: 'server-storm',
    action:
      'agents of two organisations upload to three instances of the lab’s server on PostgreSQL and S3; one instance after the other gets SIGKILL and is replaced, PostgreSQL restarts twice, and S3 refuses connections for 30 s',
    end: 'every recording is processed once, with the right bytes in S3; each organisation gets one event for each of its sessions, and no other event',
  },
  {
    name: 'virtual-night',
    action:
      '24 h on a virtual clock: 500 recordings, with kills, clock jumps and failures of every kind at random times',
    end: 'all recordings are processed by morning, each in one complete session, and no complete session is deleted',
  },
])

/** @typedef {(typeof faults)[number]['name']} FaultName */
