// The emails of an installation that wait or failed.
import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { findAccounts } from '#fairway/server/domains/people'
import { sortedShape } from '#fairway/server/kernel/database/read-sorted'
import { listMails, resendMail } from '#fairway/server/kernel/mail/queue-mail'
import { listedMailSchema, MAIL_ORDERS } from '#fairway/shared/schemas/operator'

export default defineOperations({
  'list-mails': operation({
    description: 'Lists waiting and failed emails, by default newest first, 50 per page.',
    method: 'GET',
    path: '/_fw/operator/mails',
    permission: 'operator',
    input: z.object(sortedShape(MAIL_ORDERS)),
    output: z.object({ mails: z.array(listedMailSchema), cursor: z.string().nullable() }),
    async run(query, { app }) {
      const { mails, cursor } = await listMails(app, query)
      const people = await findAccounts(
        app,
        'email',
        mails.map(({ to }) => to),
      )
      const personOf = (email: string) =>
        email === '' ? null : (people.get(email) ?? { id: null, name: email, email, image: null })
      return { mails: mails.map(mail => ({ ...mail, person: personOf(mail.to) })), cursor }
    },
  }),
  'resend-mail': operation({
    description: 'Resends a failed email.',
    method: 'POST',
    path: '/_fw/operator/mails/:id/resend',
    permission: 'operator',
    input: z.object({ id: z.string().max(100) }),
    audit: ['id'],
    run: ({ id }, { app }) => resendMail(app, id),
  }),
})
