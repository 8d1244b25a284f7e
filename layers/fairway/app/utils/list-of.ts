/** Things in one sentence, as the language lists them: “a, b and c”, or “a, b or c” for a disjunction. */
export const listOf = (
  things: readonly string[],
  language: string,
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string => new Intl.ListFormat(language, { type }).format(things)
