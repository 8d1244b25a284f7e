import { z } from 'zod'
import { emailSchema } from '#fairway/shared/schemas/email'
import { seconds, inGroup, splitList, text, parseJson } from './env-variable'

/** The environment variables of the authorization server for `/mcp`. */
export const oauthVariables = inGroup('Remote endpoint', {
  FW_ACCESS_TOKEN_LIFETIME: {
    schema: z.coerce.number().int().min(60).max(3600),
    description:
      'How many seconds an access token that a connected app was given is good, from 60 to 3600. It has nothing to do with `ACCESS_TOKEN`.',
    unset: '`3600`',
    example: '3600',
  },
  FW_CLIENT_DOCUMENTS: {
    schema: z.enum(['auto', 'on', 'off']),
    description:
      'Whether the metadata offers client ID metadata documents, which this server fetches, besides registration. `auto`: where the base URL is https and not on this machine, but not for an hour after this server had no way out to one. `on`: always. `off`: never, and none is taken.',
    unset: '`auto`',
    example: 'auto',
  },
  FW_REFRESH_REPLAY_WINDOW: {
    schema: seconds.max(300),
    description:
      'How many seconds after a refresh token was replaced its client may present it again and gets the newest unused token; 300 at most. Hosts need this: they renew several times at once, and retry. `0`: every second use ends the connection.',
    unset: '`10`',
    example: '10',
  },
})

const FEWEST = 32
const staticToken = text.regex(/^[A-Za-z0-9\-._~+/]+=*$/, 'must be letters, digits and -._~+/ only').min(FEWEST)
const webOrigin = text
  .regex(/^https?:\/\/[a-z0-9.[\]:-]+$/i, 'each entry must be an origin')
  .refine(value => URL.canParse(value), 'each entry must be an origin')
  .transform(value => value.toLowerCase())

/** The environment variables of the protected remote endpoint `/mcp`. */
export const mcpVariables = inGroup('Remote endpoint', {
  FW_MCP_ALLOWED_ORIGINS: {
    schema: text.transform(splitList).pipe(z.array(webOrigin)),
    description: 'Origins of web pages that may call `/mcp` from a browser, comma separated.',
    unset: 'only this application itself; programs send no origin and are not asked for one',
    example: 'https://inspector.example.com',
  },
  ACCESS_TOKEN: {
    schema: staticToken,
    description: `A static bearer token for hosts that cannot use OAuth, ${FEWEST} characters or more. It opens /mcp and nothing else, with all scopes, as the person of \`FW_OWNER_EMAIL\`.`,
    unset: 'no static token',
    example: 'replace-me',
    secret: true,
  },
  ACCESS_TOKENS: {
    schema: text.transform(splitList).pipe(z.array(staticToken)),
    description: 'Several static bearer tokens, comma separated, for example while one is replaced by another.',
    unset: 'no further static token',
    example: 'replace-me,replace-me-too',
    secret: true,
  },
  FW_OWNER_EMAIL: {
    schema: emailSchema,
    description:
      'The existing person that static bearer tokens act as, in the organization they work in, once the address is confirmed.',
    unset: 'static bearer tokens are refused',
    example: 'ada@example.com',
  },
})

const providerId = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'an id has lower-case letters, digits and hyphens')
const endpoint = z.url({ protocol: /^https?$/ })

/** The settings of the providers that people can sign in with, and of those that they connect. */
export const providerVariables = {
  ...inGroup('Sign-in', {
    GOOGLE_CLIENT_ID: {
      schema: text,
      description: 'The client ID for signing in with Google; the secret must be set too.',
      unset: 'Google is not offered',
      example: '1234567890-abc.apps.googleusercontent.com',
    },
    GOOGLE_CLIENT_SECRET: {
      schema: text,
      description: 'The client secret for signing in with Google.',
      unset: 'Google is not offered',
      example: 'GOCSPX-...',
      secret: true,
    },
    GITHUB_CLIENT_ID: {
      schema: text,
      description: 'The client ID for signing in with GitHub; the secret must be set too.',
      unset: 'GitHub is not offered',
      example: 'Ov23li...',
    },
    GITHUB_CLIENT_SECRET: {
      schema: text,
      description: 'The client secret for signing in with GitHub.',
      unset: 'GitHub is not offered',
      example: '0123456789abcdef...',
      secret: true,
    },
    FW_GITHUB_URL: {
      schema: z.url({ protocol: /^https?$/ }),
      description: 'The address of a GitHub Enterprise Server; its API is at `/api/v3` below it.',
      unset: '`https://github.com`, with the API at `https://api.github.com`',
      example: 'https://github.example.com',
    },
    FW_OIDC_PROVIDERS: {
      schema: text.transform(parseJson).pipe(
        z.array(
          z.strictObject({
            id: providerId,
            name: text,
            issuer: endpoint,
            clientId: text,
            clientSecret: text,
            clientAuthentication: z.enum(['basic', 'post']).optional(),
          }),
        ),
      ),
      description:
        'OpenID Connect providers that people can sign in with, as JSON. `clientAuthentication` (`basic` or `post`) says how the secret is sent; otherwise form fields, unless the issuer announces the header alone.',
      unset: 'none',
      example:
        '[{"id":"corp","name":"Corp","issuer":"https://id.example.com","clientId":"fairway","clientSecret":"..."}]',
      secret: true,
    },
  }),
  ...inGroup('Connections', {
    FW_OAUTH_PROVIDERS: {
      schema: text.transform(parseJson).pipe(
        z.array(
          z.strictObject({
            id: providerId,
            name: text,
            endpoints: z.strictObject({
              authorization: endpoint.optional(),
              token: endpoint,
              revocation: endpoint.optional(),
              userinfo: endpoint.optional(),
            }),
            scopes: z.array(text).optional(),
            grant: z.enum(['authorization_code', 'client_credentials']).optional(),
            clientAuthentication: z.enum(['basic', 'post', 'none']).optional(),
            clientId: text,
            clientSecret: text.optional(),
          }),
        ),
      ),
      description:
        'OAuth 2.0 providers that people connect their accounts of, or that this application itself gets tokens from (`grant`: `client_credentials`), as JSON.',
      unset: 'none besides the sign-in providers',
      example:
        '[{"id":"tracker","name":"Tracker","endpoints":{"authorization":"https://tracker.example.com/authorize","token":"https://tracker.example.com/token"},"scopes":["read"],"clientId":"fairway","clientSecret":"..."}]',
      secret: true,
    },
    FW_PROVIDER_CLIENTS: {
      schema: text
        .transform(parseJson)
        .pipe(
          z.record(
            providerId,
            z.strictObject({ clientId: text, clientSecret: text.optional(), scopes: z.array(text).optional() }),
          ),
        ),
      description:
        'The clients that connections use, as JSON by provider ID: of the providers that the application declares in `server/providers`, or instead of the client of a sign-in provider; `scopes` replaces the declared scopes.',
      unset: 'declared providers are not offered; sign-in providers use the client they have',
      example: '{"slack":{"clientId":"123.456","clientSecret":"..."}}',
      secret: true,
    },
  }),
}

/** The environment variables for several applications together: calls, sign-in through a hub, the desktop. */
export const identityVariables = inGroup('Other applications', {
  A2A_SECRET: {
    schema: text,
    description:
      'The secret that applications share which must verify each other: it signs calls between them and what an identity hub says. The same value on all of them, 32 characters or more.',
    unset: 'no identity hub; calls between applications work in development on this machine only, without a signature',
    example: 'openssl rand -base64 48',
    secret: true,
  },
  A2A_SECRET_PREVIOUS: {
    schema: text.transform(splitList),
    description: 'Earlier values of `A2A_SECRET`, comma separated: they verify, but sign nothing.',
    unset: 'none',
    example: 'the value before',
    secret: true,
  },
  FW_APP_ID: {
    schema: text.regex(/^[a-z][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens'),
    description: 'How other applications and the identity hub name this one.',
    unset: 'the `appId` of the declared app roles, else the name in `fw.config.ts` in lower case',
    example: 'mail',
  },
  FW_PEERS: {
    schema: text,
    description:
      'The applications that this one calls and is called by, as JSON: their origins by the names that actions use. An entry that is not accepted is reported and ignored.',
    unset: 'none can be called; every application with the shared secret may call',
    example: '{"mail":"https://mail.example.com","docs":"https://docs.example.com"}',
  },
  FW_IDENTITY_HUB_URL: {
    schema: text,
    description:
      'The identity hub: another installation whose people can sign in here. Needs `A2A_SECRET`. The origin of this application itself makes it the hub only.',
    unset: 'no sign-in through a hub; nothing else changes',
    example: 'https://hub.example.com',
  },
  FW_SSO_CLIENT_ID: {
    schema: text,
    description: 'The client ID under which the identity hub has registered this application.',
    unset: 'the application ID',
    example: 'mail',
  },
  IDENTITY_SSO_APP_REGISTRY_JSON: {
    schema: text,
    description:
      'On the identity hub: the applications that may sign people in through it, as JSON. An origin is https, or http on this machine; `http://localhost` and `http://127.0.0.1` without a port include every port. An entry that is not accepted is reported and ignored.',
    unset: 'none besides those declared in `fw.config.ts`; in development any application on this machine',
    example:
      '[{"appId":"mail","clientId":"mail","origin":"https://mail.example.com","callbackPath":"/_fw/identity/callback","capabilities":["identity-sso"]}]',
  },
  FW_IDENTITY_TRUSTED_PROVIDERS: {
    schema: text.transform(splitList),
    description:
      'Sign-in providers, comma separated, that the identity hub may vouch for. Users who signed in there with one of them satisfy organizations that require it here.',
    unset: 'none: only the address is believed',
    example: 'google',
  },
})
