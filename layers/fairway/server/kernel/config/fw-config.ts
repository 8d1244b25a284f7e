import { z } from 'zod'
import { brandOf, brandOptions } from './brand'
import { type CollectionsConfigInput, normalizeCollectionsConfig } from './collections-config'
import { credentialsOption } from './credentials-option'
import { customSignInOptions } from './custom-sign-in'
import { ORG_ROLES } from '#fairway/shared/roles'
import { hubAppSchema } from './identity-registry'
import { mailsOption } from '../mail/mail-overrides'
import { toOrigin } from './origin'

/** The roles of this application as `defineAppRoles` declares them. */
export interface AppRolesDeclaration {
  readonly appId: string
  readonly roles: readonly string[]
  readonly defaultRole: string | null
}

const options = z.strictObject({
  ...brandOptions,
  /** What mails say instead of the platform's own texts, by mail and language. */
  mails: mailsOption,
  /** What people may be in this application, from `defineAppRoles`; assigned by owners and admins of an organization. */
  appRoles: z
    .custom<AppRolesDeclaration>(value => isAppRoles(value), 'must come from defineAppRoles')
    .nullable()
    .default(null),
  auth: z
    .strictObject({
      /** Whether a password account opens only after its address was confirmed; outranks every environment variable. */
      requireEmailVerification: z.boolean().optional(),
    })
    .default({}),
  /** How long an action may run when it does not say so itself, in seconds. */
  actionTimeoutInSeconds: z.number().int().min(1).max(600).default(30),
  /** How collections are paginated and written where they do not say so themselves. */
  collections: z
    .custom<CollectionsConfigInput>()
    .optional()
    .transform(input => normalizeCollectionsConfig(input)),
  /** Who may open browsers with the shared keys of a connected builder service. */
  builder: z
    .strictObject({
      /** What they are in the organization that they work in. */
      roles: z.array(z.enum(ORG_ROLES)).min(1).default(['owner', 'admin']),
      /** Nobody but these people, by confirmed address. */
      emails: z.array(z.string().trim().toLowerCase().pipe(z.email())).min(1).optional(),
    })
    .prefault({}),
  /** The credentials that actions ask for, so that people are told what to enter. */
  credentials: credentialsOption,
  /** What several installations of one product know of each other without configuration. */
  identity: z
    .strictObject({
      /** The product's identity hub: the desktop application signs people in through it; browsers need FW_IDENTITY_HUB_URL. */
      hubUrl: z
        .string()
        .refine(value => toOrigin(value) === value, 'must be exactly an origin, with https')
        .optional(),
      /** The product's own applications that a hub knows; the registry cannot say anything else about their ids. */
      apps: z.array(hubAppSchema).default([]),
    })
    .default({ apps: [] }),
  ...customSignInOptions,
})

const fwConfigSchema = options.transform(({ name, brand, ...config }, context) => {
  const whole = brandOf({ name, brand })
  if (typeof whole !== 'string') return { ...config, brand: whole }
  context.addIssue({ code: 'custom', path: ['name'], message: whole })
  return z.NEVER
})

/** What fw.config.ts may say. */
export const FW_CONFIG_KEYS = Object.keys(options.shape)

export type FwConfigInput = z.input<typeof fwConfigSchema>
export type FwConfig = z.output<typeof fwConfigSchema>

/** Declares the application's own settings (fw.config.ts); throws at load when a value is not accepted. */
export function defineFwConfig(input: FwConfigInput = {}): FwConfig {
  const read = fwConfigSchema.safeParse(input)
  if (!read.success)
    throw new Error(`defineFwConfig: ${read.error.issues.map(faultText).join('; ')}`, { cause: read.error })
  const config = read.data
  if (!config.getSession && (config.signInUrl || config.endSession))
    throw new Error('defineFwConfig: signInUrl and endSession belong to getSession, which is missing')
  return config
}

const faultText = ({ path, message }: z.core.$ZodIssue): string =>
  path.length > 0 ? `${path.join('.')}: ${message}` : message

const isAppRoles = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'appId' in value && 'roles' in value && 'requireAny' in value
