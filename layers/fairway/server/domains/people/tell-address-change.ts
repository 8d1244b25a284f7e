import type { App } from '#fairway/server/kernel/app-context'
import { mailContent } from '#fairway/server/kernel/mail/mail-content'
import { queueMail } from '#fairway/server/kernel/mail/queue-mail'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import type { Language } from '#fairway/shared/languages'
import { PROFILE_PAGE } from '#fairway/shared/paths'
import type { AddressChange } from './address-change'

interface Told extends Pick<AddressChange, 'userId' | 'oldEmail' | 'newEmail'> {
  reason: string
  language?: Language
  requestId?: string
}

/** Mails both addresses that the account has another one now, and records the security event. */
export async function tellAddressChange(app: App, told: Told): Promise<void> {
  const { userId, oldEmail, newEmail, reason, language, requestId } = told
  await recordSecurityEvent(app, { kind: 'address-changed', userId, requestId, reason })
  const href = app.config.baseUrl + PROFILE_PAGE
  const mail = mailContent(app, 'address-changed', { values: { email: newEmail }, href, language })
  await Promise.all([queueMail(app, oldEmail, mail), queueMail(app, newEmail, mail)])
}
