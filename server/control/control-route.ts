/** `page`: data for the lab's page. `download`: a recording. `unknown`: a request to any other address. */
export type ControlRoute =
  | 'create'
  | 'retrieve'
  | 'complete'
  | 'list'
  | 'delete'
  | 'create_webhook_endpoint'
  | 'page'
  | 'download'
  | 'unknown'
