import { z } from 'zod'
import { isLoopbackHost } from '#fairway/shared/loopback'
import { text, variable } from './env-variable'

// What travels in a header or an address: nothing that could end the line.
const headerText = text.regex(/^[\x21-\x7e]{1,1024}$/, 'must be plain characters without blanks')

const serviceOrigin = z
  .url({ protocol: /^https?$/ })
  .refine(isServiceOrigin, 'must be an https origin without path, or http on this machine')
  .transform(value => new URL(value).origin)

/** The environment variables of the builder service; five of them are written by `fw builder connect`. */
export const builderVariables = {
  BUILDER_PRIVATE_KEY: variable({
    schema: headerText,
    group: 'Builder',
    description: 'The key that opens the builder service. `fw builder connect` writes this and the four below.',
    unset: 'not connected',
    example: 'bpk-...',
    secret: true,
  }),
  BUILDER_PUBLIC_KEY: variable({
    schema: headerText,
    group: 'Builder',
    description: 'The key that names the space at the builder service.',
    unset: 'not connected',
    example: '0123456789abcdef',
    secret: true,
  }),
  BUILDER_USER_ID: variable({
    schema: headerText,
    group: 'Builder',
    description: 'Who connected, as the builder service calls them.',
    unset: 'no user is named',
    example: 'user-123',
  }),
  BUILDER_ORG_NAME: variable({
    schema: text,
    group: 'Builder',
    description: 'The connected organization, for display.',
    unset: 'no name is shown',
    example: 'Example Ltd',
  }),
  BUILDER_ORG_KIND: variable({
    schema: text,
    group: 'Builder',
    description: 'The kind of the connected organization, for display.',
    unset: 'no kind is shown',
    example: 'team',
  }),
  BUILDER_APP_HOST: variable({
    schema: serviceOrigin,
    group: 'Builder',
    description: 'Where `fw builder connect` sends the browser.',
    unset: '`https://builder.io`',
    example: 'https://builder.io',
  }),
  BUILDER_API_HOST: variable({
    schema: serviceOrigin,
    group: 'Builder',
    description: 'Where browser connections are asked for; plain http only on this machine.',
    unset: '`https://api.builder.io`',
    example: 'https://api.builder.io',
  }),
}

function isServiceOrigin(value: string): boolean {
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(value)
  const isLocal = isLoopbackHost(hostname)
  return (protocol === 'https:' || isLocal) && pathname === '/' && !search && !hash && !username && !password
}
