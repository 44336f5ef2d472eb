/** `to`: the screen that a click opens. */
export type Notice = { readonly title: string; readonly body: string; readonly to: string }
