import { z } from 'zod'
import { parseJson, text, variable } from './env-variable'

const providerId = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'an id has lower-case letters, digits and hyphens')
const endpoint = z.url({ protocol: /^https?$/ })

/** The settings of the providers that people can sign in with, and of those that they connect. */
export const providerVariables = {
  GOOGLE_CLIENT_ID: variable({
    schema: text,
    group: 'Sign-in',
    description: 'The client id for signing in with Google; the secret must be set too.',
    unset: 'Google is not offered',
    example: '1234567890-abc.apps.googleusercontent.com',
  }),
  GOOGLE_CLIENT_SECRET: variable({
    schema: text,
    group: 'Sign-in',
    description: 'The client secret for signing in with Google.',
    unset: 'Google is not offered',
    example: 'GOCSPX-...',
    secret: true,
  }),
  GITHUB_CLIENT_ID: variable({
    schema: text,
    group: 'Sign-in',
    description: 'The client id for signing in with GitHub; the secret must be set too.',
    unset: 'GitHub is not offered',
    example: 'Ov23li...',
  }),
  GITHUB_CLIENT_SECRET: variable({
    schema: text,
    group: 'Sign-in',
    description: 'The client secret for signing in with GitHub.',
    unset: 'GitHub is not offered',
    example: '0123456789abcdef...',
    secret: true,
  }),
  FW_GITHUB_URL: variable({
    schema: z.url({ protocol: /^https?$/ }),
    group: 'Sign-in',
    description: 'The address of a GitHub Enterprise Server; its API is asked at `/api/v3` below it.',
    unset: '`https://github.com`, with the API at `https://api.github.com`',
    example: 'https://github.example.com',
  }),
  FW_OIDC_PROVIDERS: variable({
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
    group: 'Sign-in',
    description:
      'OpenID Connect providers that people can sign in with, as JSON. `clientAuthentication` (`basic` or `post`) says how the secret is sent; otherwise form fields, unless the issuer announces the header alone.',
    unset: 'none',
    example:
      '[{"id":"corp","name":"Corp","issuer":"https://id.example.com","clientId":"fairway","clientSecret":"..."}]',
    secret: true,
  }),
  FW_OAUTH_PROVIDERS: variable({
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
    group: 'Connections',
    description:
      'OAuth 2.0 providers that people connect their accounts of, or that this application itself gets tokens from (`grant`: `client_credentials`), as JSON.',
    unset: 'none besides the sign-in providers',
    example:
      '[{"id":"tracker","name":"Tracker","endpoints":{"authorization":"https://tracker.example.com/authorize","token":"https://tracker.example.com/token"},"scopes":["read"],"clientId":"fairway","clientSecret":"..."}]',
    secret: true,
  }),
  FW_PROVIDER_CLIENTS: variable({
    schema: text
      .transform(parseJson)
      .pipe(
        z.record(
          providerId,
          z.strictObject({ clientId: text, clientSecret: text.optional(), scopes: z.array(text).optional() }),
        ),
      ),
    group: 'Connections',
    description:
      'The clients that connections use, as JSON by provider id: of the providers that the application declares in `server/providers`, or instead of the client of a sign-in provider; `scopes` replaces what is asked for.',
    unset: 'declared providers are not offered; sign-in providers use the client they have',
    example: '{"slack":{"clientId":"123.456","clientSecret":"..."}}',
    secret: true,
  }),
}
