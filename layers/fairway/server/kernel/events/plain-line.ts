const MOST_CHARACTERS = 200

/** A text of somebody else as one short line of printable characters, for the log. */
export const plainLine = (text: string): string => text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, MOST_CHARACTERS)
