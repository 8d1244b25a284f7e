// What npm accepts for a new package, without scopes: a project is a folder too.
const NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/
const RESERVED = new Set(['node_modules', 'favicon.ico', 'nuxt', 'nuxt-fairway', 'fw'])
const LONGEST_TITLE = 60

/** What is wrong with the name of a project, as a sentence; undefined for a good one. */
export function projectNameFault(name: string): string | undefined {
  if (RESERVED.has(name)) return `The name ${name} is taken.`
  if (NAME.test(name)) return undefined
  return `“${name}” is no name for a project: it takes small letters, digits, “-”, “_” and “.”, and begins with a letter or a digit.`
}

/** What is wrong with what people will see as the name of the application; undefined for a good one. */
export function titleFault(title: string): string | undefined {
  if (/\p{Cc}/u.test(title) || title.trim() === '' || title.length > LONGEST_TITLE)
    return `The title takes 1 to ${LONGEST_TITLE} characters on one line.`
  return undefined
}

/** How people see a project of this name, unless they say otherwise: `my-app` is “My app”. */
export const toTitle = (name: string): string => {
  const words = name.replaceAll(/[-_.]+/g, ' ').trim()
  return (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, LONGEST_TITLE)
}
