import type { ActionTypes } from '#fw/action-types'

/** A note as the actions return it. */
export type Note = ActionTypes['create-note']['output']['note']

const MOST_SHOWN = 400
const MARKS = [
  // A heading would repeat the title, and code is unreadable in one line.
  [/^[ \t]*#{1,6} .*$/gm, ''],
  [/```[\s\S]*?(?:```|$)/g, ''],
  [/^[ \t]*(>|[-*+] \[[ x]\]|[-*+]|\|?[-|: ]{3,}$)[ \t]*/gim, ''],
  [/!?\[([^\]]*)\]\([^)]*\)/g, '$1'],
  [/\*\*|__|`/g, ''],
  [/\n{2,}/g, '\n'],
] as const

/** The beginning of a note's text without Markdown, for lists. */
export const excerpt = (text: string): string =>
  MARKS.reduce((now, [mark, plain]) => now.replace(mark, plain), text.slice(0, MOST_SHOWN)).trim()
