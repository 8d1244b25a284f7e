import { findPerson, mailNotice } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { mailContent, mailTime } from '#fairway/server/kernel/mail/mail-content'
import { type ApprovalRow, approvalPath } from './approvals'

interface ApprovalNotice {
  /** The addresses of the people who may approve it. */
  approvers: readonly string[]
  /** The name of the host. */
  host: string
  orgName: string | null
}

/**
 * Mails the people who may approve a call, in the background. The mail has no text that an agent wrote. Sends no mail when no mail is
 * set up.
 */
export async function notifyApprovers(
  app: App,
  row: ApprovalRow,
  { approvers, host, orgName }: ApprovalNotice,
): Promise<void> {
  const href = app.config.baseUrl + approvalPath(row.id)
  for (const address of approvers) {
    const person = await findPerson(app, { email: address })
    if (!person) continue
    mailNotice(app, person.userId, ({ language, timeZone }) => {
      const expires = mailTime(row.expiresAt, language, timeZone)
      const values = { host, tool: row.action, organization: orgName ?? '', expires }
      return mailContent(app, 'approval-requested', { values, href, language })
    })
  }
}
