/** What a link by mail is about: the product, and where it was asked for in words. */
interface LinkValues {
  product: string
  askedFrom: string
}

/** Every mail that is sent, and the values that its texts may show. */
export interface MailValues {
  'magic-link': LinkValues
  verification: LinkValues
  'password-reset': LinkValues
  /** To an address that nobody has an account with: its owner learns why nothing else comes, and nobody else learns anything. */
  'no-account': LinkValues
  'account-exists': LinkValues
  invitation: { product: string; invitedBy: string; organization: string; role: string; email: string }
  'new-device': { product: string; when: string; device: string; address: string; how: string }
  'password-changed': { product: string }
  'passkey-added': { product: string }
  'passkey-removed': { product: string }
  'two-factor-on': { product: string }
  'two-factor-off': { product: string }
}

export type MailMessage = keyof MailValues
export type MailLanguage = 'en' | 'de'

/** A text of a mail, or what makes it from the mail's values. */
export type MailText<Values> = string | ((values: Values) => string)

/** The texts of one mail. */
export interface MailTexts<Values> {
  subject: MailText<Values>
  /** Paragraphs before the button. */
  lines: readonly MailText<Values>[]
  /** What the button says. */
  action: MailText<Values>
  /** Paragraphs after it: how long it works, what to do when the mail was not expected. */
  notes: readonly MailText<Values>[]
}

/** Texts by mail. */
export type MailCatalog = { [Message in MailMessage]: MailTexts<MailValues[Message]> }

/** What an application says instead, by mail and language; what it leaves out stays as it is. */
export type MailOverrides = {
  [Message in MailMessage]?: { [Language in MailLanguage]?: Partial<MailTexts<MailValues[Message]>> }
}

/** The text for these values. */
export const mailText = <Values>(text: MailText<Values>, values: Values): string =>
  typeof text === 'function' ? text(values) : text
