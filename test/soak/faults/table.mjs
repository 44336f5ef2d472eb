/**
 * Every fault that `npm run soak` plays: the fault, and the exact end. `test/support/faults/promises.ts` checks the
 * promises that hold after every fault. This file is a plain script, so that the launcher can read the names too.
 */
export const faults = /** @type {const} */ ([
  {
    name: 'kill-agent',
    done: 'the agent gets SIGKILL 800 times, in every state of a recording',
    end: 'every state was hit; the next start continues; no part with a journaled ETag is sent again',
  },
  {
    name: 'kill-main',
    done: 'the app’s main process gets SIGKILL 100 times',
    end: 'the agent ends with it; the next start of the app continues',
  },
  {
    name: 'kill-both',
    done: 'main and agent get SIGKILL in the same moment, 100 times',
    end: 'the next start of the app continues',
  },
  {
    name: 'stopped-process',
    done: 'SIGSTOP in the middle of an upload for 70 s; URLs expire after 20 s; idle timeouts: service 2 s, agent 60 s',
    end: 'after SIGCONT fresh URLs, the missing parts only, one session',
  },
  {
    name: 'clock-ahead',
    done: 'the PC’s clock jumps 24 h ahead in the middle of an upload, and back at the end of the night',
    end: 'no PUT is refused for its URL; one session each',
  },
  {
    name: 'clock-behind',
    done: 'the PC’s clock jumps 24 h back in the middle of an upload',
    end: 'no PUT is refused for its URL; one session each',
  },
  {
    name: 'journal-disk-full',
    done: 'the journal’s disk is filled to the last byte in the middle of an upload, then freed',
    end: 'the agent reports the full disk, keeps running, and continues by itself',
  },
  {
    name: 'journal-locked',
    done: 'another program locks the journal for 30 s in the middle of an upload',
    end: 'the same process continues when the lock is released',
  },
  {
    name: 'journal-corrupt',
    done: 'pages of the journal are overwritten after kill -9 in the middle of an upload',
    end: 'the damaged journal is kept and a new one restored or rebuilt; the session is found again; if its ETags cannot be guessed, a new session is complete and the old one stays open; nothing complete is sent again',
  },
  {
    name: 'journal-empty',
    done: 'the journal is cut to zero bytes after kill -9 in the middle of an upload',
    end: 'as for journal-corrupt',
  },
  {
    name: 'journal-wal-missing',
    done: 'journal.db-wal and -shm are removed after kill -9 in the middle of an upload',
    end: 'the service supplies the data that only the WAL had; one complete session each',
  },
  {
    name: 'file-replaced',
    done: 'a different file is renamed over one recording during hashing, and over a second one during upload',
    end: 'the new content is complete, the session of the old one is deleted',
  },
  {
    name: 'file-truncated',
    done: 'cut to 1,234 bytes while hashed, and while uploaded',
    end: 'the new content is complete, the session of the old one is deleted',
  },
  {
    name: 'file-appended',
    done: 'bytes are added while hashed, and while uploaded',
    end: 'the new content is complete, the session of the old one is deleted',
  },
  {
    name: 'file-edited-unseen',
    done: 'bytes are changed and the old mtime is set again while hashed, and while uploaded',
    end: 'the new content is complete, the session of the old one is deleted',
  },
  {
    name: 'keychain-locked',
    done: 'the app starts while the keychain is locked; it is unlocked, and the app starts again, as at the next login',
    end: 'recordings are hashed and wait, without a request to the service; the next start continues, without typing a key (Electron reads the keychain once per start)',
  },
  {
    name: 'url-expired',
    done: 'every URL signed so far becomes void in the middle of an upload',
    end: 'fresh URLs; each part is stored once',
  },
  {
    name: 'foreign-403',
    done: 'a gateway answers every PUT and then every call with its own 403 page',
    end: 'a condition while it lasts, and no recording fails; then one session each',
  },
  {
    name: 'etag-missing',
    done: 'the first two answers to parts carry no ETag',
    end: 'these parts are sent again, no other',
  },
  {
    name: 'etag-wrong',
    done: 'the first answer to a part carries a different ETag from the stored one',
    end: 'detected at completion and fixed in the same session',
  },
  {
    name: 'mismatch-unchanged',
    done: '409 checksum_mismatch although the file is unchanged',
    end: 'hashed again, all parts sent again, the same session',
  },
  {
    name: 'mismatch-changed',
    done: '409 checksum_mismatch, and the file was edited with its mtime restored',
    end: 'a new session with the new content, the old one deleted',
  },
  {
    name: 'rate-limited',
    done: '429 with Retry-After 120 to a creation; the 120 s are real',
    end: 'no API call for 120 s, while parts in progress continue; then everything is sent, no part twice',
  },
  {
    name: 'server-errors',
    done: '30 % of all requests are answered 500, 502 or 503, by chance',
    end: 'all processed with at most 1.6 times the requests of the same recordings without faults',
  },
  {
    name: 'lost-create',
    done: 'the answers to the first four creations are lost',
    end: 'the same keys again, no second session',
  },
  {
    name: 'lost-part',
    done: 'the answers to the first four parts are lost',
    end: 'sent again for their ETags, one session each',
  },
  {
    name: 'lost-complete',
    done: 'the answers to the first four completions are lost',
    end: 'the agent retrieves the sessions; none is completed twice',
  },
  {
    name: 'byte-a-second',
    done: 'requests and answers travel at one byte per second for 30 s',
    end: 'uploads continue when the network is fast again',
  },
  {
    name: 'half-open',
    done: 'packets vanish on the wire for 75 s, in a network namespace: no reset, no refusal',
    end: 'the silence is detected, and everything continues when packets arrive again',
  },
  {
    name: 'captive-portal',
    done: 'a sign-in page, then a redirect to it, for every request',
    end: 'one condition while it lasts; then one session each',
  },
  {
    name: 'storage-down',
    done: 'no program listens at the storage for 20 s; the control API answers',
    end: 'at most 20 calls meanwhile; then the missing parts only',
  },
  {
    name: 'control-down',
    done: 'no program listens at the control API for 20 s; the storage answers',
    end: 'parts in flight arrive; then completed, one session each',
  },
  {
    name: 'dns-gone',
    done: 'the service’s name can no longer be looked up for 20 s, in the middle of an upload',
    end: 'a condition while it lasts; then the missing parts only',
  },
  {
    name: 'proxy-407',
    done: 'the proxy requires a sign-in (407) for 15 s, and then lets requests through',
    end: 'the condition proxy-sign-in; then everything continues by itself',
  },
  {
    name: 'wrong-chain',
    done: 'the service’s certificate has no trusted chain; later the administrator’s settings name the CA',
    end: 'the condition certificate-refused, no byte sent; with the CA everything continues without a restart',
  },
  {
    name: 'burst-30000',
    done: '30,000 files appear at once while the service is down; then it is back',
    end: 'each queued exactly once in less than 280 MB of memory, each complete in one session',
  },
  {
    name: 'unmounted',
    done: 'the recordings’ drive is unmounted in the middle of an upload, and mounted again',
    end: 'the folder is offline and no recording counts as missing; then only the missing parts are sent',
  },
  {
    name: 'other-volume',
    done: 'a different drive is mounted at the folder’s path, then the right one again',
    end: 'nothing of the other drive is uploaded; the right one continues',
  },
  {
    name: 'existing-100000',
    done: 'the folder has 100,000 files before Sluice first sees it, which the settings ignore',
    end: 'none of them is uploaded, and new files are processed',
  },
  {
    name: 'sparse-terabyte',
    done: 'a sparse file of 1 TB appears, then a recording; the large one is cut short half-way through its hash',
    end: 'the recording does not wait for it; memory stays under 200 MB; the rest of it is processed',
  },
  {
    name: 'unicode-twins',
    done: 'two names that differ only in their Unicode form (NFC, NFD)',
    end: 'two recordings, two sessions',
  },
  {
    name: 'invalid-name',
    done: 'a name that is not valid UTF-8, later renamed',
    end: 'the folder shows a problem until the file is renamed; other files continue; the renamed file is processed',
  },
  {
    name: 'session-deleted',
    done: 'a user deletes a session during upload, completion and processing, and after processing',
    end: 'before completion: a new session; after it: the recording shows the loss, and nothing is sent again without a request',
  },
  {
    name: 'two-agents',
    done: 'a second agent is started on the same journal, ten times',
    end: 'refused with exit code 1 and one sentence; the first continues',
  },
  {
    name: 'virtual-night',
    done: '24 h on a virtual clock: 500 recordings, kills, clock jumps and failures of every kind, by chance',
    end: 'all processed by morning, one complete session each, no complete session deleted',
  },
])

/** @typedef {(typeof faults)[number]['name']} FaultName */
