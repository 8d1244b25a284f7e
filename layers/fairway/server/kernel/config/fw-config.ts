import { z } from 'zod'
import type { H3Event } from 'h3'
import { ORG_ROLES } from '#fairway/shared/roles'
import { emailSchema } from '#fairway/shared/schemas/email'
import { mailsOption } from '../mail/mail-overrides'
import { brandOf, brandOptions } from './brand'
import { type CollectionsConfigInput, normalizeCollectionsConfig } from './collections-config'
import { plansOption } from './plans-config'
import type { Permissions } from '../permissions'
import { hubAppSchema, toOrigin } from './identity-registry'
import { languageOptions } from './languages-config'
import { pageUrl, publicPagesOption } from './public-pages'

/** The signed-in person, as an application's own `getSession` returns it. */
export interface CustomSession {
  /** The person's email address. Fairway uses the account with this address and creates it on the first visit. */
  email: string
  /** `false` when the person has not proved that they own the address; otherwise your application vouches for it. */
  emailVerified?: boolean
  name?: string | null
  image?: string | null
  /** How the person proved who they are, for organizations that require one provider; `custom` when not given. */
  provider?: string
  /** From this moment on the person counts as signed out. */
  expiresAt?: Date | string
}

type CustomGetSession = (event: H3Event) => CustomSession | null | Promise<CustomSession | null>
type CustomSignedInAt = (event: H3Event) => Date | null | Promise<Date | null>
type CustomEndSession = (event: H3Event) => unknown

/** The application's own sign-in: the session, the sign-in page, and how people sign out. */
export interface CustomSignIn {
  getSession: CustomGetSession
  signedInAt: CustomSignedInAt | null
  signInUrl: string | null
  endSession: CustomEndSession | null
}

const aFunction = <T>() => z.custom<T>(value => typeof value === 'function', 'must be a function')

/** The options of `defineFwConfig` for the application's own sign-in. */
const customSignInOptions = {
  /** Returns the signed-in person or null, and replaces Fairway's sign-in. */
  getSession: aFunction<CustomGetSession>().nullable().default(null),
  /**
   * Returns the time of the person's most recent proof of identity. Without it, requests that require a recent sign-in are
   * refused.
   */
  signedInAt: aFunction<CustomSignedInAt>().nullable().default(null),
  /** Where people sign in: a page of this application or an address. Fairway adds `return` with the address to return to. */
  signInUrl: pageUrl
    .refine(url => !/^\/(_fw\/)?sign-in([/?#]|$)/i.test(url), 'must be another page than the sign-in page')
    .nullable()
    .default(null),
  /** Signs the visitor out at the other sign-in; without it, Fairway refuses to sign out. */
  endSession: aFunction<CustomEndSession>().nullable().default(null),
}

interface CredentialCheck {
  signal: AbortSignal
  fetch: typeof fetch
}

/** A credential that actions require by its key. */
export interface DeclaredCredential {
  key: string
  name: string
  description: string
  /** Checks whether a value works; resolves to exactly `true` when it does. */
  test?: (value: string, check: CredentialCheck) => Promise<boolean>
}

/** The `credentials` of `defineFwConfig`. */
const credentialsOption = z
  .array(
    z.strictObject({
      key: z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/, 'must have letters, digits, dots, hyphens, underscores'),
      name: z.string().trim().min(1).max(60),
      description: z.string().trim().max(300).default(''),
      test: z
        .custom<NonNullable<DeclaredCredential['test']>>(value => typeof value === 'function', 'must be a function')
        .optional(),
    }),
  )
  .refine(list => new Set(list.map(({ key }) => key)).size === list.length, 'two have the same key')
  .default([])

/** The roles of this application as `defineAppRoles` declares them. */
export interface AppRolesDeclaration {
  readonly appId: string
  readonly roles: readonly string[]
  readonly defaultRole: string | null
  /** The permissions that a role carries. */
  readonly permissions: Readonly<Record<string, readonly string[]>>
}

const options = z.strictObject({
  ...brandOptions,
  ...languageOptions,
  /** Texts that replace the platform's own texts in mails, by mail and language. */
  mails: mailsOption,
  /** The roles of people in this application, from `defineAppRoles`; owners and admins of an organization assign them. */
  appRoles: z
    .custom<AppRolesDeclaration>(value => isAppRoles(value), 'must come from defineAppRoles')
    .nullable()
    .default(null),
  /** The permissions of this application, from `definePermissions`; owners and admins of an organization put them into roles. */
  permissions: z
    .custom<Permissions>(value => isPermissions(value), 'must come from definePermissions')
    .default({ names: [], texts: {} }),
  auth: z
    .strictObject({
      /**
       * Whether a password account opens only after its address is confirmed. It overrides every environment variable. `true`
       * without a mail server switches password sign-up off in every environment.
       */
      requireEmailVerification: z.boolean().optional(),
    })
    .default({}),
  /** The documents that people accept or can read; `url` is a public page of the application or an address. */
  legal: z
    .strictObject({
      /** The terms that people accept after signing in, and again when the version changes. */
      terms: z.strictObject({ version: z.string().trim().min(1).max(64), url: pageUrl }).optional(),
      privacy: z.strictObject({ url: pageUrl }).optional(),
    })
    .default({}),
  /** The time limit in seconds of actions that set none. */
  actionTimeoutInSeconds: z.number().int().min(1).max(600).default(30),
  /** The pagination and format of collections that set none. */
  collections: z
    .custom<CollectionsConfigInput>()
    .optional()
    .transform(input => normalizeCollectionsConfig(input)),
  /**
   * The people with a confirmed address who may open browsers with the shared keys of a connected builder service. Default: the
   * operators, because everyone who signs up owns an organization.
   */
  builder: z
    .strictObject({
      /** Their roles in the organization that they work in. */
      roles: z.array(z.enum(ORG_ROLES)).min(1).optional(),
      /** Only these people. */
      emails: z.array(emailSchema).min(1).optional(),
    })
    .prefault({}),
  /** The credentials that actions require, so that people see which ones to enter. */
  credentials: credentialsOption,
  /** The features and limits of an organization by its plan; without it, organizations have no limits. */
  plans: plansOption,
  /** What programs that connect to `/mcp` are told about this application, and how they may connect. */
  mcp: z
    .strictObject({
      /** How its tools belong together and when to use them, for the model; at most 2,000 characters. */
      instructions: z.string().trim().min(1).max(2000).optional(),
      /** One sentence for lists of servers; at most 100 characters. */
      description: z.string().trim().min(1).max(100).optional(),
      /** Whether programs on machines without a browser may ask for a connection by a code (RFC 8628). Default: true. */
      deviceSignIn: z.boolean().optional(),
    })
    .prefault({}),
  /** Settings that several installations of one product share without configuration. */
  identity: z
    .strictObject({
      /** The product's identity hub: the desktop application signs people in through it; browsers need FW_IDENTITY_HUB_URL. */
      hubUrl: z
        .string()
        .refine(value => toOrigin(value) === value, 'must be exactly an origin, with https')
        .optional(),
      /** The product's own applications that a hub knows; entries of the registry cannot override them. */
      apps: z.array(hubAppSchema).default([]),
    })
    .default({ apps: [] }),
  /** The public pages that search engines can find. */
  publicPages: publicPagesOption,
  /** The application's own routes. */
  routes: z
    .strictObject({
      /**
       * Whether each route in `server/api` answers 401 without a session, unless it checks the session itself or is declared with
       * `definePublicRoute`.
       */
      requireSession: z.boolean().default(false),
    })
    .prefault({}),
  ...customSignInOptions,
})

const fwConfigSchema = options.transform(({ name, brand, ...config }, context) => {
  const whole = brandOf({ name, brand })
  if (typeof whole !== 'string') return { ...config, brand: whole }
  context.addIssue({ code: 'custom', path: ['name'], message: whole })
  return z.NEVER
})

/** The keys that fw.config.ts accepts. */
export const FW_CONFIG_KEYS = Object.keys(options.shape)

export type FwConfigInput = z.input<typeof fwConfigSchema>
export type FwConfig = z.output<typeof fwConfigSchema>

/** Declares the application's settings (fw.config.ts); throws at load when a value is not accepted. */
export function defineFwConfig(input: FwConfigInput = {}): FwConfig {
  const read = fwConfigSchema.safeParse(input)
  if (!read.success)
    throw new Error(`defineFwConfig: ${read.error.issues.map(faultText).join('; ')}`, { cause: read.error })
  const config = read.data
  if (!config.getSession && (config.signInUrl || config.endSession))
    throw new Error('defineFwConfig: signInUrl and endSession belong to getSession, which is missing')
  const { names } = config.permissions
  const carried = Object.values(config.appRoles?.permissions ?? {}).flat()
  const unknown = carried.find(name => !names.includes(name))
  if (unknown !== undefined)
    throw new Error(`defineFwConfig: appRoles carry "${unknown}"; permissions has: ${names.join(', ') || 'none'}`)
  return config
}

const faultText = ({ path, message }: z.core.$ZodIssue): string =>
  path.length > 0 ? `${path.join('.')}: ${message}` : message

const isAppRoles = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'appId' in value && 'roles' in value && 'requireAny' in value

const isPermissions = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'names' in value && 'texts' in value
