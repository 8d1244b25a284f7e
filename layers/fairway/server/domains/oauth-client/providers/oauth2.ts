import { z } from 'zod'
import { defineProvider } from '../define-provider'
import type { ProviderRecord } from '../provider'

/** Any provider that speaks OAuth 2.0 and names its endpoints; who connected is read from `userinfo` where there is one. */
export function oauth2(input: OAuth2Input): ProviderRecord {
  const { userinfo } = input.endpoints
  return defineProvider({
    ...input,
    readAccount: userinfo ? async ask => toAccount(await ask(userinfo)) : undefined,
  })
}

interface OAuth2Input {
  id: string
  name: string
  endpoints: { authorization?: string; token: string; revocation?: string; userinfo?: string }
  scopes?: string[]
  clientAuthentication?: 'basic' | 'post' | 'none'
  grant?: 'authorization_code' | 'client_credentials'
}

const factsSchema = z.looseObject({
  sub: z.string().optional(),
  id: z.union([z.string(), z.number()]).optional(),
  email: z.string().optional(),
  login: z.string().optional(),
  name: z.string().optional(),
})

// The names that such endpoints use for the same two facts.
function toAccount(answer: unknown) {
  const facts = factsSchema.parse(answer)
  const id = String(facts.sub ?? facts.id ?? facts.email ?? facts.login ?? '')
  if (!id) throw new Error('the account has no id')
  return { id, label: facts.email ?? facts.login ?? facts.name ?? id }
}
