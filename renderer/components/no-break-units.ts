/** Keeps a number and its unit on one line. */
export const noBreakUnits = (text: string): string => text.replace(/(\d) (?=[kMGT]?B\b)/g, '$1\u00a0')

/** A longer fact may break. Otherwise a narrow window would have half-empty lines. */
const MAX_UNBROKEN_LENGTH = 30

/**
 * For facts joined with " · ". A short fact such as "0 of 10 safe" stays on one line, and a number stays with its noun. No
 * line begins with a dot.
 */
export const noBreakFacts = (text: string): string =>
  text
    .split(' · ')
    .map((fact) =>
      fact.length <= MAX_UNBROKEN_LENGTH
        ? fact.replaceAll(' ', '\u00a0')
        : fact.replace(/(?<![:.,\d])\d[\d.,]* (?=\p{L})|\bof (?=\d)/gu, (match) =>
            match.replace(' ', '\u00a0'),
          ),
    )
    .join('\u00a0· ')
