import { z } from 'zod'
import { mark, parseDeclaration } from '#fairway/server/kernel/declaration'
import type { ProviderRecord } from './provider'

const address = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

const recordSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must have lower-case letters, digits and hyphens'),
    name: z.string().trim().min(1).max(60),
    issuer: address.optional(),
    endpoints: z
      .strictObject({
        authorization: address.optional(),
        token: address,
        revocation: address.optional(),
        userinfo: address.optional(),
      })
      .optional(),
    scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'is not a scope (RFC 6749 §3.3)')).default([]),
    grant: z.enum(['authorization_code', 'client_credentials']).default('authorization_code'),
    clientAuthentication: z.enum(['basic', 'post', 'none']).optional(),
    openId: z.boolean().default(false),
    authorizationParameters: z.record(z.string(), z.string()).default({}),
    readAccount: z
      .custom<ProviderRecord['readAccount']>(value => typeof value === 'function', 'must be a function')
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

/** What an author writes of a provider. @public */
export type ProviderInput = z.input<typeof recordSchema>

/** Declares an external provider (server/providers/<id>.ts); throws at load with the option and what it accepts. */
export const defineProvider = (input: ProviderInput): ProviderRecord =>
  mark('provider', parseDeclaration('defineProvider', recordSchema, input))
