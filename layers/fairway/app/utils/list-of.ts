/** Things in one sentence, as the language lists them: “a, b and c”. */
export const listOf = (things: readonly string[], language: string): string =>
  new Intl.ListFormat(language, { type: 'conjunction' }).format(things)
