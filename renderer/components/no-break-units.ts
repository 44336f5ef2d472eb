/** Keeps a size such as "1.4 TB" on one line. */
export const noBreakUnits = (text: string): string => text.replace(/(\d) (?=[kMGT]?B\b)/g, '$1\u00a0')

/** A longer fact may break. Otherwise it would leave half-empty lines in a narrow window. */
const MAX_UNBROKEN_LENGTH = 30

/** A short fact such as "0 of 10 safe" stays on one line. In a longer fact, a number stays with its noun. */
export const noBreakFact = (fact: string): string =>
  fact.length <= MAX_UNBROKEN_LENGTH
    ? fact.replaceAll(' ', '\u00a0')
    : fact.replace(/(?<![:.,\d])\d[\d.,]* (?=\p{L})|\bof (?=\d)/gu, (match) => match.replace(' ', '\u00a0'))
