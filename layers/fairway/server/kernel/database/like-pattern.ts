/** The pattern of LIKE that finds a text anywhere, with `\` as escape character: its wildcards are ordinary characters to people. */
export const likePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
