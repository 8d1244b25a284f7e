import type { App } from '#fairway/server/kernel/app-context'
import { INVITATION_PAGE } from '#fairway/shared/paths'
import type { OrgRole } from '#fairway/shared/roles'
import { mailContent } from '../../kernel/mail/render-mail'
import { queueMail } from '../../kernel/mail/queue-mail'

export interface InvitationMail {
  id: string
  token: string
  email: string
  role: OrgRole
  orgName: string
  invitedBy: string
}

/** Why a mail was not queued, for people; undefined when it was. */
export type MailFault = 'no-mail-server' | undefined

/** Queues the mail with an invitation's link; a mail server that is slow or refuses never holds up or loses the invitation. */
export async function sendInvitationMail(app: App, mail: InvitationMail): Promise<MailFault> {
  if (!app.mailer.isReady) return 'no-mail-server'
  const link = new URL(INVITATION_PAGE, app.config.baseUrl)
  link.searchParams.set('id', mail.id)
  link.searchParams.set('token', mail.token)
  const { invitedBy, orgName: organization, role, email } = mail
  const values = { invitedBy, organization, role, email }
  await queueMail(app, email, mailContent(app, 'invitation', { values, href: link.href }))
  return undefined
}
