// The addresses of organizations: `/o/<slug>/…`.
import { foldText } from './fold-text'

const MOST = 40
const PATTERN = /^(?=.{2,40}$)[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Words that could be mistaken for a page of the product, or for no organization. */
const RESERVED = new Set(
  'account admin api app auth fw help home login logout me mcp my new none null o operator organizations public settings sign-in sign-out sign-up static support team undefined www'.split(
    ' ',
  ),
)

/** Whether a text has the form of a slug: 2 to 40 lower-case letters, digits and single hyphens. */
export const isSlug = (text: string): boolean => PATTERN.test(text)

/** Whether an organization may not have this slug. */
export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug)

/** The slug of a name; undefined where its letters give none, such as Chinese ones. */
export function toSlug(name: string): string | undefined {
  const words = foldText(name.replaceAll(/['\u2019]/g, '')).match(/[a-z0-9]+/g) ?? []
  const slug = words.join('-').slice(0, MOST).replace(/-$/, '')
  return isSlug(slug) && !isReservedSlug(slug) ? slug : undefined
}
