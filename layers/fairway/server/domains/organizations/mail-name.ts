// Names that people chose, in mails to strangers.

/** Whether a name may be in the subject of an email to a stranger: it is short and contains no address or markup. */
const isPlainName = (name: string): boolean => /^[^\p{Cc}<>:/\\@]{1,60}$/u.test(name)

/** Dots of domains, as browsers read them (UTS #46), inside a word. */
const INNER_DOT = /(?<=\S)[.\u3002\uff0e\uff61\u2024](?=\S)/gu

/**
 * The same name with invisible joiners around inner dots. Mail programs make links of bare domains, so a stranger's name could
 * lead to any page.
 */
const withoutLinks = (name: string): string => name.replaceAll(INNER_DOT, '\u2060$&\u2060')

/** A name that people chose, as mails to strangers may show it; `otherwise` for one that is not plain. */
export const mailName = (name: string, otherwise: string): string =>
  isPlainName(name) ? withoutLinks(name) : otherwise
