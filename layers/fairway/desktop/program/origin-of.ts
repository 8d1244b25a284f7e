/** The origin of an address; empty where it has none, so that it equals no application's. */
export const originOf = (url: string): string => (/^https?:/i.test(url) && URL.canParse(url) ? new URL(url).origin : '')
