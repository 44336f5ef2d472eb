import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServiceContext } from '../context.ts'
import type { Route } from './routes.ts'

/** The page for the lab at `/`, and the routes of this page. These routes are not part of the contract. */
export type LabPage = {
  /** Routes for requests with a key. */
  readonly routes: readonly Route[]
  /** Answers requests without a key: the files of the page, and downloads. Returns false for all other requests. */
  answer(context: ServiceContext, request: IncomingMessage, response: ServerResponse): boolean
}
