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

/** What lets this person, in this organization, put the file into a row, for a day. The id alone lets nobody: everyone who sees the row knows it. */
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

/** What a text says as a ticket; undefined where it is none of ours. */
export function readTicket(app: App, text: string): Ticket | undefined {
  try {
    return ticketSchema.safeParse(JSON.parse(unseal(app.config.keys, PURPOSE, text, PURPOSE))).data
  } catch {
    return undefined
  }
}
