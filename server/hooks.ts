import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Refusal } from './answer.ts'
import type { ControlRoute } from './control/control-route.ts'
import type { AnswerHead } from './control/send-answer.ts'
import type { PartAddress } from './storage/signing-terms.ts'
import type { StorageError } from './storage/storage-error.ts'

/** Points where tests and the sandbox change the service's behaviour. A real service runs with `noHooks`. */
export type ServiceHooks = {
  /** Called once for each control request. */
  control(route: ControlRoute): ControlHook
  /**
   * Called once for each upload. `number` is undefined if the service does not permit the upload.
   */
  part(number: number | undefined): PartHook
  /** Called once for each attempt to deliver an event. */
  delivery(): DeliveryHook
}

export type ControlHook = {
  /** Runs before the service examines the request. False: the hook took over the connection. */
  begin(request: IncomingMessage): Promise<boolean>
  /** The service refuses the request with this answer. */
  readonly refusal: Refusal | null
  /** True: the service cuts the connection after the body, and the request has no effect. */
  readonly dropsBody: boolean
  /** The signing time for the part URLs in the answer. */
  signedAtMs(nowMs: number, urlLifetimeS: number): number
  /** True: the hook sent the answer, or cut the connection. */
  answer(request: IncomingMessage, response: ServerResponse, answer: ControlAnswer): boolean
}

export type ControlAnswer = { readonly status: number; readonly head: AnswerHead; readonly body: unknown }

export type PartHook = {
  begin(request: IncomingMessage): Promise<boolean>
  /** The service refuses the upload with this error. */
  readonly error: StorageError | null
  /** Runs before the service reads the body of a valid upload. False: the hook took over the connection. */
  receive(request: IncomingMessage, response: ServerResponse): boolean
  /** Called when the whole body of a part arrived, valid or not. */
  onWholeBody(part: PartAddress): void
  /** Returns the ETag to answer, or null if the hook sent the answer or cut the connection. */
  answer(request: IncomingMessage, response: ServerResponse, etag: string): string | null
}

export type DeliveryHook = {
  /** The delivery waits this long, so that later events overtake it. */
  readonly delayMs: number | null
  /** How many times this attempt sends the event. */
  readonly copies: number
  /** Called before each request to the receiver. */
  beforeSend(): void
}

const noControlHook: ControlHook = {
  begin: async () => true,
  refusal: null,
  dropsBody: false,
  signedAtMs: (nowMs) => nowMs,
  answer: () => false,
}

const noPartHook: PartHook = {
  begin: async () => true,
  error: null,
  receive: () => true,
  onWholeBody: () => {},
  answer: (_request, _response, etag) => etag,
}

const noDeliveryHook: DeliveryHook = { delayMs: null, copies: 1, beforeSend: () => {} }

export const noHooks: ServiceHooks = {
  control: () => noControlHook,
  part: () => noPartHook,
  delivery: () => noDeliveryHook,
}
