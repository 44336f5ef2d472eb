/** Removes the parts of a URL that may contain a secret: query and fragment, and user and password before the host. */

/** A run of characters without spaces or quotes. `redactAddresses` visits each once, so its running time is linear. */
const piecePattern = /[^\s"'`<>]+/g

export const redactAddresses = (line: string): string => line.replace(piecePattern, redactPiece)

const redactPiece = (piece: string): string => {
  const isAddress = piece.includes('://')
  if (!isAddress && !/[?#@]/.test(piece)) return piece
  return withoutQuery(isAddress ? withoutUsers(piece) : withoutBareUser(piece), isAddress)
}

/** A `file:` URL has no query, and a `#` in it may belong to the file name. */
const isLocal = (piece: string): boolean => /^file:/i.test(piece)

const withoutQuery = (piece: string, isAddress: boolean): string => {
  const at = piece.search(/[?#]/)
  if (at === -1 || isLocal(piece)) return piece
  // "really?" is a question, not a URL.
  if (!isAddress && !piece.includes('=', at)) return piece
  return `${piece.slice(0, at + 1)}[removed]`
}

/** The path of a URL may contain a second URL. */
const withoutUsers = (piece: string): string =>
  piece
    .split('://')
    .map((part, index) => (index === 0 ? part : withoutUser(part)))
    .join('://')

const withoutUser = (rest: string): string => {
  const authority = rest.slice(0, endOf(rest))
  const host = rest.slice(authority.lastIndexOf('@') + 1)
  // In `user:pa/ss@host`, the password contains a slash, so `user:pa` looks like a host with a port. But `pa` is no
  // number, so this is a user.
  const looksLikeUser = /^[^[:]+:/.test(host) && !/^\d*$/.test(portOf(host))
  return looksLikeUser ? host.slice(host.lastIndexOf('@') + 1) : host
}

const endOf = (rest: string): number => {
  const at = rest.search(/[/?#\\]/)
  return at === -1 ? rest.length : at
}

const portOf = (host: string): string => host.slice(host.indexOf(':') + 1, endOf(host))

/** Removes the user from an address without a scheme, such as `user:password@proxy:3128`. Ignores drive letters and paths. */
const withoutBareUser = (piece: string): string =>
  piece
    .replace(/^[^/\\:@?#]+:[^/\\@]*@/, '')
    // Programs accept `http:/user:password@proxy` and `http:\\user:password@proxy` as URLs.
    .replace(/(:[/\\]+|^[/\\]{2,})[^/\\:@?#]*:[^/\\@?#]*@/g, '$1')
