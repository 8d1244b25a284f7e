import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { seal, unseal } from '#fairway/server/kernel/crypto/seal'
import type { emailLinks } from '../tables'

export type EmailLinkPurpose = (typeof emailLinks.$inferSelect)['purpose']

const payloadSchema = z.object({
  /** Where the person wanted to go. */
  returnPath: z.string(),
  language: z.string().optional(),
  /** Where it was asked for, for the person who has to decide. */
  userAgent: z.string(),
  clientAddress: z.string(),
  /** What an account is to have that is confirmed by this link. */
  name: z.string().optional(),
  passwordHash: z.string().optional(),
})

export type EmailLinkPayload = z.output<typeof payloadSchema>

export interface EmailLink {
  id: string
  purpose: EmailLinkPurpose
  email: string
  payload: EmailLinkPayload
  expiresAt: Date
  createdAt: Date
  /** Whether this browser is the one that asked. */
  isSameBrowser: boolean
}

const SEAL_PURPOSE = 'email-links'

export const sealPayload = (app: App, id: string, payload: EmailLinkPayload): string =>
  seal(app.config.keys, SEAL_PURPOSE, JSON.stringify(payload), id)

export const openPayload = (app: App, id: string, sealed: string): EmailLinkPayload =>
  payloadSchema.parse(JSON.parse(unseal(app.config.keys, SEAL_PURPOSE, sealed, id)))
