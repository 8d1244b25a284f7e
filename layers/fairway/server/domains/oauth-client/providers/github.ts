import { z } from 'zod'
import { defineProvider } from '../define-provider'
import type { ProviderRecord } from '../provider'

const userSchema = z.object({ id: z.int().positive(), login: z.string().min(1) })

/** GitHub, or an Enterprise Server at this address: OAuth 2.0, tokens that do not end unless its administrator says so. */
export const github = (url: string, apiUrl: string): ProviderRecord =>
  defineProvider({
    id: 'github',
    name: 'GitHub',
    endpoints: { authorization: `${url}/login/oauth/authorize`, token: `${url}/login/oauth/access_token` },
    scopes: ['read:user', 'user:email', 'repo'],
    clientAuthentication: 'post',
    async readAccount(ask) {
      const user = userSchema.parse(await ask(`${apiUrl}/user`))
      return { id: String(user.id), label: user.login }
    },
  })
