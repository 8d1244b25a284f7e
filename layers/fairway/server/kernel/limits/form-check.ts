// Public forms are checked without a third party: a field that people do not see, and a ticket that is a few seconds old and
// works once. This stops programs that fill in every form they find. Rate limits stop a program that was written for this form.
import { z } from 'zod'
import type { App } from '../app-context'
import { randomToken } from '../crypto/random'
import { seal, unseal } from '../crypto/seal'
import { requireRun } from '../current-run'
import { AppError } from '../http/app-error'
import { claimOneTime } from '../one-time/one-time'
import { FORM_TICKET_AGE_IN_MS } from '#fairway/shared/form-check'
import { limitCall } from './call-limits'
import { limits } from './limits'

const PURPOSE = 'form-ticket'
const LIFE_IN_MS = 2 * 60 * 60 * 1000

const ticketSchema = z.object({ id: z.string(), at: z.number() })

/** The field of an action's input for the value of `<FwFormCheck>`; `checkForm` checks it. */
export const formCheckInput = z.object({ ticket: z.string().max(1000), trap: z.string().max(1000) })

/** Issues a ticket for one form; the page requests it when it shows the form. Throws `rate-limited`. */
export async function issueFormTicket(app: App, clientAddress: string): Promise<{ ticket: string }> {
  await limitCall(app, limits.formTicketsPerAddress, { session: null, clientAddress })
  const content = { id: randomToken(16), at: app.now().getTime() }
  return { ticket: seal(app.config.keys, PURPOSE, JSON.stringify(content), PURPOSE) }
}

/**
 * Checks a public form, within its action or route. Throws `rate-limited` after ten an hour from one network, unless the
 * declaration has its own `limit`. Throws `form-check-failed` when the hidden field is filled in or the ticket is too new, too
 * old or used.
 */
export async function checkForm(check: z.output<typeof formCheckInput>): Promise<void> {
  const { app, clientAddress, isLimited } = requireRun()
  if (clientAddress !== undefined && !isLimited)
    await limitCall(app, limits.formsPerAddress, { session: null, clientAddress })
  const ticket = openTicket(app, check.ticket)
  const age = ticket ? app.now().getTime() - ticket.at : -1
  if (!ticket || check.trap !== '' || age < FORM_TICKET_AGE_IN_MS || age > LIFE_IN_MS) throw refused()
  if (!(await claimOneTime(app, { name: PURPOSE }, ticket.id, new Date(ticket.at + LIFE_IN_MS)))) throw refused()
}

const refused = () => new AppError('form-check-failed')

function openTicket({ config: { keys } }: App, sealed: string): z.output<typeof ticketSchema> | undefined {
  try {
    return ticketSchema.parse(JSON.parse(unseal(keys, PURPOSE, sealed, PURPOSE)))
  } catch {
    return undefined
  }
}
