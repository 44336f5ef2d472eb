import type { Effect } from './fault-proxy.ts'

/** An error answer in the service's own format (§7). */
export const refusal = (
  status: number,
  type: string,
  options: { readonly code?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Effect => ({
  kind: 'answer',
  status,
  headers: { 'content-type': 'application/json', 'request-id': 'req_simulated', ...options.headers },
  body: JSON.stringify({
    error: {
      type,
      code: options.code ?? type,
      message: 'Simulated by a test.',
      param: '',
      request_id: 'req_simulated',
    },
  }),
})

export const mismatch = refusal(409, 'conflict', { code: 'checksum_mismatch' })
