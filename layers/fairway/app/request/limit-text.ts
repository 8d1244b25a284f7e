import { isRecord } from '#fairway/shared/record'

interface Language {
  t(key: string, values?: Record<string, string>): string
  te(key: string): boolean
  n(value: number): string
}

/** The title of a plan, its price, or the title of a limit: `planTitles.plans.<name>` of a catalog, or that of `fw.config.ts`. */
export function planTitle(
  kind: 'plans' | 'prices' | 'limits' | 'features',
  { name, title }: { name: string; title: string },
  { t, te }: Pick<Language, 't' | 'te'>,
): string {
  const key = `planTitles.${kind}.${name}`
  return te(key) ? t(key) : title
}

/**
 * The numbers of a refusal at a limit, from the facts of its problem document: “Quotes: 20 of 20 on the plan Free. Pro has
 * 10,000.” Undefined for a problem without these facts.
 */
export function limitText(problem: unknown, language: Language): string | undefined {
  if (!isRecord(problem)) return undefined
  const { limit, limitTitle, plan, planTitle: title, max, used = max, next } = problem
  if (typeof max !== 'number' || typeof used !== 'number') return undefined
  const { t, n } = language
  const titled = (kind: 'plans' | 'limits', name: unknown, english: unknown) =>
    planTitle(kind, { name: String(name), title: String(english) }, language)
  const values = { limit: titled('limits', limit, limitTitle), plan: titled('plans', plan, title) }
  const sentence = t('failures.limit', { ...values, used: n(used), max: n(max) })
  if (!isRecord(next)) return sentence
  const more = { plan: titled('plans', next.plan, next.title) }
  const gain =
    typeof next.max === 'number' ? t('failures.next', { ...more, max: n(next.max) }) : t('failures.nextAll', more)
  return `${sentence} ${gain}`
}
