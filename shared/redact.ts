/** What must never reach a log or a report: keys, passwords, and the signatures of signed addresses. */
export const redact = (text: string): string =>
  text
    .replace(/\bsvc_(live|test)_[\w.~+/=-]+/g, 'svc_$1_[removed]')
    .replace(/\bwhsec_[\w.~+/=-]+/g, 'whsec_[removed]')
    .replace(/(bearer\s+)[\w.~+/=-]+/gi, '$1[removed]')
    // Of any scheme, to the end of the value: its parts may be separated by commas and blanks.
    .replace(/(\bauthorization["']?\s*[:=]\s*["']?)[^"'}\n]+/gi, '$1[removed]')
    .replace(/(\bhttps?:\/\/)[^\s/"'<>@]*@/gi, '$1')
    .replace(/(\bhttps?:\/\/[^\s"'<>?#]+)\?[^\s"'<>]*/gi, '$1?[removed]')
    // A query without its host, or a part of one.
    .replace(/(\/[^\s"'<>?#]*)\?[^\s"'<>]*=[^\s"'<>]*/g, '$1?[removed]')
    .replace(/\bx-(?:amz|goog|ms)-[\w-]+(["']?\s*[=:]\s*["']?)[^\s&"',}]+/gi, '[signature]$1[removed]')
    .replace(/\b((?:x-)?(?:signature|credential|token|sig)=)(?!\[)[^\s&"'<>]+/gi, '$1[removed]')
