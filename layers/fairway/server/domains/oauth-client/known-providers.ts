import { z } from 'zod'
import type { ProviderProfile } from '#fairway/server/domains/people'
import type { SignInProvider } from '#fairway/server/kernel/config/sign-in-config'
import { claimedEmailSchema } from '#fairway/shared/schemas/email'
import { toPlainLine } from '#fairway/shared/schemas/name'
import {
  type AskProvider,
  defineProvider,
  type ProviderAccount,
  type ProviderInput,
  type ProviderRecord,
} from './define-provider'

/** The claims of an ID token, with those of the userinfo endpoint (OpenID Connect Core §5.1). */
export type OpenIdClaims = { sub: string } & Readonly<Record<string, unknown>>

/** The request for signing in with a provider, where it differs from the one for connecting an account. */
interface SignInPart {
  scopes: readonly string[]
  authorizationParameters: Readonly<Record<string, string>>
  /** Returns the person who signed in; throws when the provider's API deviates from its documentation. */
  readProfile(granted: { claims?: OpenIdClaims; ask: AskProvider }): Promise<Omit<ProviderProfile, 'provider'>>
}

/** A provider that people can connect and sign in with. */
export interface KnownProvider extends ProviderRecord {
  signIn: SignInPart
}

/**
 * Returns the description of a provider that is configured for sign-in: GitHub, Google or another that supports OpenID Connect.
 */
export function knownProvider(provider: SignInProvider): KnownProvider {
  if (provider.kind === 'github') return github(provider.url, provider.apiUrl)
  const { id, name, issuer, clientAuthentication, prompt } = provider
  const isGoogle = id === 'google'
  const record = defineProvider({
    id,
    name,
    issuer,
    clientAuthentication,
    scopes: ['openid', 'email', 'profile', ...(isGoogle ? [] : ['offline_access'])],
    openId: true,
    // Google returns a refresh token only with `offline` and the consent page. OpenID Connect Core §11 requires `prompt=consent`.
    authorizationParameters: isGoogle
      ? { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'true' }
      : { prompt: 'consent' },
  })
  const signIn: SignInPart = {
    scopes: ['openid', 'email', 'profile'],
    authorizationParameters: prompt ? { prompt } : {},
    async readProfile({ claims }) {
      if (!claims) throw new Error('there is no ID token')
      const { sub: accountId, email, email_verified: verified, name: fullName, picture: image } = claims
      // Some providers send the claim as a string.
      const emailVerified = verified === true || verified === 'true'
      const domain = domainOfAccount(claims, isGoogle)
      return toProfile({ accountId, email, emailVerified, domain, name: fullName, image })
    },
  }
  return { ...record, signIn }
}

const githubUserSchema = z.object({
  id: z.int().positive(),
  login: z.string().min(1),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
})
const githubEmailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))
const GITHUB_HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }

/**
 * GitHub, or an Enterprise Server at this address: OAuth 2.0 with tokens that do not expire unless its administrator sets that.
 */
function github(url: string, apiUrl: string): KnownProvider {
  const readUser = async (ask: AskProvider) => githubUserSchema.parse(await ask(`${apiUrl}/user`, GITHUB_HEADERS))
  const record = defineProvider({
    id: 'github',
    name: 'GitHub',
    endpoints: { authorization: `${url}/login/oauth/authorize`, token: `${url}/login/oauth/access_token` },
    scopes: ['read:user', 'user:email', 'repo'],
    clientAuthentication: 'post',
    async readAccount(ask) {
      const { id, login } = await readUser(ask)
      return { id: String(id), label: login }
    },
  })
  const signIn: SignInPart = {
    scopes: ['read:user', 'user:email'],
    authorizationParameters: {},
    async readProfile({ ask }) {
      const [user, emails] = await Promise.all([
        readUser(ask),
        ask(`${apiUrl}/user/emails?per_page=100`, GITHUB_HEADERS),
      ])
      // The public address of the profile is free text. Only this list says which addresses are verified.
      const primary = githubEmailsSchema.parse(emails).find(address => address.primary)
      return toProfile({
        accountId: String(user.id),
        email: primary?.email,
        emailVerified: primary?.verified ?? false,
        name: user.name || user.login,
        image: user.avatar_url,
      })
    },
  }
  return { ...record, signIn }
}

/** Describes any provider that supports OAuth 2.0 and names its endpoints. Reads the account from `userinfo` if it is set. */
export function oauth2(input: ProviderInput & { endpoints: object }): ProviderRecord {
  const { userinfo } = input.endpoints
  return defineProvider({
    ...input,
    readAccount: userinfo ? async ask => toAccount(await ask(userinfo)) : undefined,
  })
}

const accountSchema = z.looseObject({
  sub: z.string().optional(),
  id: z.union([z.string(), z.number()]).optional(),
  email: z.string().optional(),
  login: z.string().optional(),
  name: z.string().optional(),
})

// Userinfo endpoints use these names for the id and the label.
function toAccount(answer: unknown): ProviderAccount {
  const facts = accountSchema.parse(answer)
  const id = String(facts.sub ?? facts.id ?? facts.email ?? facts.login ?? '')
  if (!id) throw new Error('the account has no id')
  return { id, label: facts.email ?? facts.login ?? facts.name ?? id }
}

const MOST_CHARACTERS_OF_A_NAME = 100
const MOST_CHARACTERS_OF_AN_IMAGE = 2048

/**
 * Returns the domain (Google's `hd`) or tenant (`tid` of Microsoft Entra ID) that an ID token names. Google also has accounts
 * under addresses of other domains, and their owners may have lost them since. A Google account without `hd` therefore has the
 * domain null. Returns undefined for other providers without such a claim.
 */
function domainOfAccount({ hd, tid }: OpenIdClaims, isGoogle: boolean): string | null | undefined {
  if (typeof hd === 'string') return toPlainDomain(hd)
  if (isGoogle) return null
  return typeof tid === 'string' ? toPlainDomain(tid) : undefined
}

/** In lower case. Null for characters beyond ASCII, some of which become plain letters: U+212A becomes a k. */
const toPlainDomain = (text: string): string | null => (/^[\x21-\x7e]+$/.test(text) ? text.toLowerCase() : null)

interface Claimed {
  accountId: string
  email: unknown
  emailVerified: boolean
  /** The domain that the provider names; defaults to the domain of the verified address. */
  domain?: string | null
  name: unknown
  image: unknown
}

/** Cleans the profile of a provider's user. An invalid address counts as not verified. */
export function toProfile({ accountId, ...claimed }: Claimed): Omit<ProviderProfile, 'provider'> {
  const email = claimedEmailSchema.safeParse(claimed.email)
  const address = email.success ? email.data : ''
  const emailVerified = email.success && claimed.emailVerified
  const { domain = emailVerified ? address.slice(address.lastIndexOf('@') + 1) : null } = claimed
  return {
    accountId,
    email: address,
    emailVerified,
    domain,
    name: toName(claimed.name) || address.split('@', 1)[0] || 'Unnamed',
    image: toImage(claimed.image),
  }
}

function toName(value: unknown): string {
  if (typeof value !== 'string') return ''
  return [...toPlainLine(value)].slice(0, MOST_CHARACTERS_OF_A_NAME).join('').trim()
}

function toImage(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MOST_CHARACTERS_OF_AN_IMAGE) return null
  return URL.canParse(value) && new URL(value).protocol === 'https:' ? value : null
}
