import { shownParams } from '#fairway/shared/field-errors'
import type { FieldError } from '#fairway/shared/schemas/problem'

interface Texts {
  te(key: string): boolean
  t(key: string, values: Record<string, unknown>, count: number): string
}

/** The texts of this page. The language plugin sets them, because failures are created outside components. */
export const page: { texts?: Texts } = {}

/**
 * A field error in the language of the page: the text `fieldErrors.<code>` of its catalog. Without one, it is the server's
 * sentence, which is in English or from the application.
 */
export function fieldText({ code, params, message }: FieldError, texts = page.texts): string {
  const key = `fieldErrors.${code}`
  if (!texts?.te(key)) return message
  const values = shownParams(params)
  // No code has more than one parameter. A text without a number has one form.
  return texts.t(key, values, Number(Object.values(values)[0]))
}
