/** A request to any other address is `unknown`. */
export type ControlRoute =
  | 'create'
  | 'retrieve'
  | 'complete'
  | 'list'
  | 'delete'
  | 'create_webhook_endpoint'
  | 'unknown'
