const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other']

/**
 * Returns the form of a text that fits a count. Of two forms, the first is for one; of three, the first is for none and the
 * second for one. Six are those of ICU: zero, one, two, few, many, other. The language decides which counts are in which (Unicode
 * CLDR, as `Intl.PluralRules`).
 */
export function pluralForm(forms: number, count: number, language: string): number {
  const category = new Intl.PluralRules(language).select(Math.abs(count))
  if (forms === CATEGORIES.length) return CATEGORIES.indexOf(category)
  if (forms > 2 && count === 0) return 0
  return (forms > 2 ? 1 : 0) + (category === 'one' ? 0 : 1)
}
