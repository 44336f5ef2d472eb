/** What must never reach a log: keys, and the signatures that signed addresses carry in their query. */
export const redact = (text: string): string =>
  text
    .replace(/\bsvc_(live|test)_[\w.~+/=-]+/g, 'svc_$1_[removed]')
    .replace(/\bwhsec_[\w.~+/=-]+/g, 'whsec_[removed]')
    .replace(/(bearer\s+)[\w.~+/=-]+/gi, '$1[removed]')
    .replace(/(\bhttps?:\/\/[^\s"'<>?#]+)\?[^\s"'<>]*/gi, '$1?[removed]')
