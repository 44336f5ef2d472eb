export type ContractGap = { readonly section: string; readonly gap: string; readonly choice: string }

/** The points that the contract leaves open, and the choice of the sandbox for each. */
export const contractGaps: readonly ContractGap[] = [
  {
    section: '§2.6',
    gap: 'Fields of a webhook endpoint that the contract does not name',
    choice:
      '`id` (`whe_…`) and `object`, as §2.1 requires for every object, and `url`, `events` and `created_at`; no other fields',
  },
  {
    section: '§2.7',
    gap: 'Segments, slices, exports, assets',
    choice: 'No such objects; their paths answer 404',
  },
  {
    section: '§3',
    gap: 'Status after a rejected completion',
    choice: '`uploading`: the client can send parts again with their signed URLs, and repeat the completion',
  },
  {
    section: '§3',
    gap: 'How a session enters or leaves `uploaded`',
    choice: 'No session is ever `uploaded`; the list filter accepts the value',
  },
  {
    section: '§3',
    gap: 'Reasons for failed processing',
    choice: 'An issue of severity `error`: a truncated, empty or unreadable file',
  },
  {
    section: '§4.1',
    gap: 'Decimal or binary megabytes, and the maximum number of parts',
    choice: 'Decimal: part_size 8,000,000 to 512,000,000, default 64,000,000; at most 10,000 parts',
  },
  { section: '§4.1', gap: 'Whether `bytes` may be 0', choice: 'Yes: one empty part; processing then fails' },
  {
    section: '§4.3',
    gap: 'Completing with an etag that differs from the stored one',
    choice: '409 `checksum_mismatch` with the part in `param`; the stored parts stay',
  },
  { section: '§4.3', gap: 'Completing before every part arrived', choice: '409 `parts_missing`' },
  {
    section: '§4.4',
    gap: 'Whether a key without `write` sees `upload`',
    choice: 'Yes: §4.4 states no exception',
  },
  { section: '§4.5', gap: 'Order of the list', choice: 'Newest first' },
  { section: '§4.5', gap: 'A `limit` outside 1 to 500', choice: '400 with `param`' },
  {
    section: '§4.6',
    gap: '410 Gone for slice segments of a deleted session',
    choice: 'There are no slices; requests for them answer 404',
  },
  {
    section: '§4.8',
    gap: 'Paths for segments, slices, exports, assets, event streams',
    choice: '404 `route_not_found`',
  },
  {
    section: '§4.8',
    gap: 'Listing, retrieving or deleting webhook endpoints',
    choice: '404 `route_not_found`',
  },
  {
    section: '§6.1',
    gap: 'Export events',
    choice: 'An endpoint can subscribe to export events; the sandbox never sends one',
  },
  {
    section: '§6.2',
    gap: 'Steps of the backoff',
    choice: '1 s, doubled each time, at most 1 h, until 24 h after the event',
  },
  {
    section: '§7',
    gap: 'The full list of `code` values',
    choice: 'The sandbox adds its own codes; clients should rely on `type`',
  },
  {
    section: '§7',
    gap: '`param` if no parameter caused the error',
    choice: 'An empty string, because all five fields are strings',
  },
  {
    section: '§7',
    gap: 'When the service answers 422',
    choice: 'Only as an injected fault, because there are no exports',
  },
  {
    section: '§8',
    gap: 'Rate-limit values',
    choice: '6,000 requests per minute and key; `--rate-limit` changes it',
  },
  { section: '§8', gap: 'Lifetime of upload URLs', choice: '1 hour; `--url-lifetime` changes it' },
  {
    section: '§8',
    gap: 'Whether a request that was refused is processed again if it has the same Idempotency-Key',
    choice: 'Yes, except after `checksum_mismatch`, which is returned again',
  },
]
