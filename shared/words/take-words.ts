type Take = { readonly isHeld: boolean; readonly deviations: readonly string[] }

/** How a recording deviates, and whether it waits for a decision. */
export const takeSentence = ({ isHeld, deviations }: Take): string =>
  [...deviations, ...(isHeld ? ['It waits for your decision.'] : [])].join(' ')

export const takeLine = ({ name, ...take }: Take & { readonly name: string }): string =>
  `Check this recording, ${name}: ${takeSentence(take)}`
