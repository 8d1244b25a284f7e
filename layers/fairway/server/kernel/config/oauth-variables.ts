import { z } from 'zod'
import { seconds, variable } from './env-variable'

/** The environment variables of the authorization server for `/mcp`. */
export const oauthVariables = {
  FW_OAUTH_CODE_LIFETIME: variable({
    schema: z.coerce.number().int().min(10).max(600),
    group: 'Remote endpoint',
    description: 'How many seconds an authorization code may be exchanged, from 10 to 600.',
    unset: '`60`',
    example: '60',
  }),
  FW_ACCESS_TOKEN_LIFETIME: variable({
    schema: z.coerce.number().int().min(60).max(3600),
    group: 'Remote endpoint',
    description:
      'How many seconds an access token that a connected app was given is good, from 60 to 3600. It has nothing to do with `ACCESS_TOKEN`.',
    unset: '`3600`',
    example: '3600',
  }),
  FW_CLIENT_DOCUMENTS: variable({
    schema: z.enum(['auto', 'on', 'off']),
    group: 'Remote endpoint',
    description:
      'Whether apps are told that they may show a metadata document, which this server fetches from theirs, instead of registering. `auto`: where the base URL is https and not on this machine, but not for an hour after this server had no way out to one. `on`: always. `off`: never, and none is taken.',
    unset: '`auto`',
    example: 'auto',
  }),
  FW_REFRESH_REPLAY_WINDOW: variable({
    schema: seconds.max(300),
    group: 'Remote endpoint',
    description:
      'How many seconds a refresh token that was just used is answered with the same successor again, for hosts that renew several times at once or retry; 300 at most. `0`: every second use ends the connection.',
    unset: '`10`',
    example: '10',
  }),
}
