import { z } from 'zod'
import { isDeclared, mark, parseDeclaration } from '#fairway/server/kernel/declaration'

/** Requests JSON from the provider's API with the new access token. */
export type AskProvider = (url: string, headers?: Record<string, string>) => Promise<unknown>

/** An account at a provider: a stable id, and a label that people recognize. */
export interface ProviderAccount {
  id: string
  label: string
}

const address = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

const recordSchema = z
  .strictObject({
    /** Lower-case letters, digits and hyphens; part of `/_fw/connections/<id>`. */
    id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must have lower-case letters, digits and hyphens'),
    name: z.string().trim().min(1).max(60),
    /** For providers that publish their endpoints (OpenID Connect Discovery, RFC 8414). Otherwise set `endpoints`. */
    issuer: address.optional(),
    endpoints: z
      .strictObject({
        authorization: address.optional(),
        token: address,
        revocation: address.optional(),
        userinfo: address.optional(),
      })
      .optional(),
    /** The scopes requested when a user connects an account. */
    scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'is not a scope (RFC 6749 §3.3)')).default([]),
    /** `authorization_code` connects people; `client_credentials` connects this application itself. */
    grant: z.enum(['authorization_code', 'client_credentials']).default('authorization_code'),
    /**
     * How the client authenticates at the token endpoint; `none` is a public client (PKCE alone). Defaults to what the provider
     * announces.
     */
    clientAuthentication: z.enum(['basic', 'post', 'none']).optional(),
    /** Whether to request and check an ID token. */
    openId: z.boolean().default(false),
    /** Sent with every authorization request, for example `access_type: 'offline'`. */
    authorizationParameters: z.record(z.string(), z.string()).default({}),
    /** Reads the connected account when there is no ID token. */
    readAccount: z
      .custom<(ask: AskProvider) => Promise<ProviderAccount>>(
        value => typeof value === 'function',
        'must be a function',
      )
      .optional(),
  })
  .refine(({ issuer, endpoints }) => Boolean(issuer) !== Boolean(endpoints), {
    path: ['issuer'],
    error: 'give either the issuer, which describes its endpoints, or the endpoints',
  })
  .refine(({ grant, issuer, endpoints }) => grant !== 'authorization_code' || issuer || endpoints?.authorization, {
    path: ['endpoints', 'authorization'],
    error: 'is missing',
  })
  .refine(({ grant, clientAuthentication }) => grant !== 'client_credentials' || clientAuthentication !== 'none', {
    path: ['clientAuthentication'],
    error: 'a client without a secret has no credentials to present',
  })

/** The description of one external provider. It contains no flow code. */
export type ProviderRecord = z.output<typeof recordSchema>

/** A provider with this application's client there. */
export interface ConfiguredProvider extends ProviderRecord {
  clientId: string
  /** Missing for public clients. */
  clientSecret?: string
  /** Signs assertions instead of a secret (`private_key_jwt`). */
  assertionKey?: { kid: string; privateJwk: JsonWebKey }
}

/** The options of a provider's declaration. @public */
export type ProviderInput = z.input<typeof recordSchema>

/** Declares an external provider (server/providers/<id>.ts). Throws at load, naming the invalid option and what it accepts. */
export const defineProvider = (input: ProviderInput): ProviderRecord =>
  mark('provider', parseDeclaration('defineProvider', recordSchema, input))

/** Whether a value was made by `defineProvider`. */
export const isProvider = (value: unknown): value is ProviderRecord => isDeclared('provider', value)
