/** Keeps a number and its unit on one line. */
export const noBreakUnits = (text: string): string => text.replace(/(\d) (?=[kMGT]?B\b)/g, '$1\u00a0')
