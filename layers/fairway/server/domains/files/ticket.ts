import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { seal, unseal } from '#fairway/server/kernel/crypto/seal'
import type { Session } from '#fairway/shared/schemas/session'

const PURPOSE = 'file-ticket'
const LIFE_IN_MS = 24 * 60 * 60 * 1000

const ticketSchema = z.object({
  file: z.string(),
  upload: z.string(),
  userId: z.string(),
  orgId: z.string(),
  until: z.number(),
})

type Ticket = z.output<typeof ticketSchema>

/**
 * Creates a ticket that lets this person, in this organization, attach the file to a row for one day. The file id is no
 * permission, because everyone who can see the row knows it.
 */
export const issueTicket = (app: App, { userId, orgId }: Session, file: { id: string; upload: string }): string =>
  seal(
    app.config.keys,
    PURPOSE,
    JSON.stringify({
      file: file.id,
      upload: file.upload,
      userId,
      orgId,
      until: app.now().getTime() + LIFE_IN_MS,
    } satisfies Omit<Ticket, 'orgId'> & { orgId: string | null }),
    PURPOSE,
  )

/** Reads a ticket; undefined when the text is not one of ours. */
export function readTicket(app: App, text: string): Ticket | undefined {
  try {
    return ticketSchema.safeParse(JSON.parse(unseal(app.config.keys, PURPOSE, text, PURPOSE))).data
  } catch {
    return undefined
  }
}
