import type { H3Event } from 'h3'
import { z } from 'zod'

/** What an application's own `getSession` says of the person who is signed in. */
export interface CustomSession {
  /** Who it is: the account of this address is used, and made on the first visit. */
  email: string
  /** `false` when nobody has proved that the address is theirs; otherwise your answer vouches for it. */
  emailVerified?: boolean
  name?: string | null
  image?: string | null
  /** How the person proved who they are, for organizations that ask for one way; `custom` when not given. */
  provider?: string
  /** From this moment on the answer counts as signed out. */
  expiresAt?: Date | string
}

type CustomGetSession = (event: H3Event) => CustomSession | null | Promise<CustomSession | null>
type CustomSignedInAt = (event: H3Event) => Date | null | Promise<Date | null>
type CustomEndSession = (event: H3Event) => unknown

/** Sign-in that is not ours: who is signed in, where people sign in, and how they sign out. */
export interface CustomSignIn {
  getSession: CustomGetSession
  signedInAt: CustomSignedInAt | null
  signInUrl: string | null
  endSession: CustomEndSession | null
}

const aFunction = <T>() => z.custom<T>(value => typeof value === 'function', 'must be a function')

/** The options of `defineFwConfig` about sign-in that is not ours. */
export const customSignInOptions = {
  /** Says who is signed in, instead of our own sign-in: a person, or null. */
  getSession: aFunction<CustomGetSession>().nullable().default(null),
  /** When the person last proved who they are; without it, what asks for a recent sign-in is refused. */
  signedInAt: aFunction<CustomSignedInAt>().nullable().default(null),
  /** Where people sign in: a page of this application or an address. `return` with the address to come back to is added. */
  signInUrl: z
    .string()
    .refine(isSignInUrl, 'must be a path of another page than the sign-in page, or an https address')
    .nullable()
    .default(null),
  /** Signs the visitor out where they are signed in; without it, signing out here is refused. */
  endSession: aFunction<CustomEndSession>().nullable().default(null),
}

function isSignInUrl(value: string): boolean {
  if (value.startsWith('/')) return !/^\/[/\\]/.test(value) && !/^\/(_fw\/)?sign-in([/?#]|$)/i.test(value)
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}
