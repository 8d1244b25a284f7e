import { z } from 'zod'
import { parseJson, text, variable } from './env-variable'

/** The settings of the providers that people can sign in with. */
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
          id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'an id has lower-case letters, digits and hyphens'),
          name: text,
          issuer: z.url({ protocol: /^https?$/ }),
          clientId: text,
          clientSecret: text,
          clientAuthentication: z.enum(['basic', 'post']).optional(),
        }),
      ),
    ),
    group: 'Sign-in',
    description:
      'OpenID Connect providers that people can sign in with, as JSON. `clientAuthentication` (`basic` or `post`) is only for providers that announce more than they accept.',
    unset: 'none',
    example:
      '[{"id":"corp","name":"Corp","issuer":"https://id.example.com","clientId":"fairway","clientSecret":"..."}]',
    secret: true,
  }),
}
