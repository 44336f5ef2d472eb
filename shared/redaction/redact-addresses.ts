/** Signatures live in the query or the fragment of an address, passwords before its host. */

/** Each piece between these is looked at once, from its beginning to its end. */
const pieces = /[^\s"'`<>]+/g

export const redactAddresses = (line: string): string => line.replace(pieces, redactPiece)

const redactPiece = (piece: string): string => {
  const isAddress = piece.includes('://')
  if (!isAddress && !/[?#@]/.test(piece)) return piece
  return withoutQuery(isAddress ? withoutUsers(piece) : withoutBareUser(piece), isAddress)
}

/** A local file's name may have a `#`; it has no query either. */
const isLocal = (piece: string): boolean => /^file:/i.test(piece)

const withoutQuery = (piece: string, isAddress: boolean): string => {
  const at = piece.search(/[?#]/)
  if (at === -1 || isLocal(piece)) return piece
  // Without a host before it "really?" is only a question.
  if (!isAddress && !piece.includes('=', at)) return piece
  return `${piece.slice(0, at + 1)}[removed]`
}

/** An address may carry another one in its path. */
const withoutUsers = (piece: string): string =>
  piece
    .split('://')
    .map((part, index) => (index === 0 ? part : withoutUser(part)))
    .join('://')

const withoutUser = (rest: string): string => {
  const authority = rest.slice(0, endOf(rest))
  const host = rest.slice(authority.lastIndexOf('@') + 1)
  // A password with a slash in it: what looks like the host ends in no port, and the real host is still to come.
  const looksLikeUser = /^[^[:]+:/.test(host) && !/^\d*$/.test(portOf(host))
  return looksLikeUser ? host.slice(host.lastIndexOf('@') + 1) : host
}

const endOf = (rest: string): number => {
  const at = rest.search(/[/?#\\]/)
  return at === -1 ? rest.length : at
}

const portOf = (host: string): string => host.slice(host.indexOf(':') + 1, endOf(host))

/** `user:password@proxy:3128`, as people write a proxy; not a drive's letter and not a path. */
const withoutBareUser = (piece: string): string =>
  piece
    .replace(/^[^/\\:@?#]+:[^/\\@]*@/, '')
    // `http:/user:password@proxy` and `http:\\user:password@proxy`: programs take them for addresses.
    .replace(/(:[/\\]+|^[/\\]{2,})[^/\\:@?#]*:[^/\\@?#]*@/g, '$1')
