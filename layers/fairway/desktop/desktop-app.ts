import { z } from 'zod'

/** An application that the shell shows, as the shell configures it. */
export const desktopAppSchema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,62}$/),
  name: z.string().min(1).max(60),
  origin: z.string().max(300),
  mode: z.enum(['production', 'development']),
  isEnabled: z.boolean(),
  /** An application that the hub does not declare itself takes part only with exactly `true`. */
  workspaceSso: z.literal(true).optional(),
})
export type DesktopApp = z.infer<typeof desktopAppSchema>
