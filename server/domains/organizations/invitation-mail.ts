import type { App } from '#server/foundation/app-context'
import { INVITATION_PAGE } from '#shared/paths'
import type { OrgRole } from '#shared/roles'

export interface InvitationMail {
  id: string
  token: string
  email: string
  role: OrgRole
  orgName: string
  invitedBy: string
}

/** Why a mail was not sent, for people; undefined when it was. */
export type MailFault = 'no-mail-server' | 'not-accepted' | undefined

/** Mails the link of an invitation; a mail server that refuses never loses the invitation. */
export async function sendInvitationMail(app: App, mail: InvitationMail): Promise<MailFault> {
  if (!app.mailer.isReady) return 'no-mail-server'
  const link = new URL(INVITATION_PAGE, app.config.baseUrl)
  link.searchParams.set('id', mail.id)
  link.searchParams.set('token', mail.token)
  const orgName = oneLine(mail.orgName)
  const text = [
    `${oneLine(mail.invitedBy)} invites you to ${orgName} in ${app.config.name}, as ${mail.role}.`,
    '',
    'Open this page to accept or decline:',
    link.href,
    '',
    `The link is for ${mail.email} only and works for seven days. If you expected no invitation, there is nothing to do.`,
  ].join('\n')
  try {
    await app.mailer.send({ to: mail.email, subject: `${oneLine(mail.invitedBy)} invites you to ${orgName}`, text })
    return undefined
  } catch (error) {
    app.log.warn('an invitation was not mailed', { invitationId: mail.id, error })
    return 'not-accepted'
  }
}

// Names come from people: a line break in one would let it speak for us.
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 100)
