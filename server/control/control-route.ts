/** `unknown`: a request to any other address. */
export type ControlRoute =
  | 'create'
  | 'retrieve'
  | 'complete'
  | 'list'
  | 'delete'
  | 'create_webhook_endpoint'
  | 'unknown'
