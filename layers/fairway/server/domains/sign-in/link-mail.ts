import type { App } from '#fairway/server/kernel/app-context'
import { mailContent } from '../../kernel/mail/render-mail'
import { languageOf } from '#fairway/server/kernel/messages'
import { askedFrom, type Visitor } from './visitor'

type LinkMessage = 'magic-link' | 'verification' | 'password-reset' | 'no-account' | 'account-exists'

/** A mail that a visitor of the sign-in page asked for, in the language of that page. */
export const linkMail = async (app: App, message: LinkMessage, href: string, visitor: Visitor) =>
  mailContent(app, message, {
    values: { askedFrom: await askedFrom(visitor) },
    href,
    language: languageOf(visitor.language),
  })
