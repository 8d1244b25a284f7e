import { text, splitList, variable } from './env-variable'

/** The environment variables of what several applications do together: calls, sign-in through a hub, the desktop. */
export const identityVariables = {
  A2A_SECRET: variable({
    schema: text,
    group: 'Other applications',
    description:
      'The secret that applications share which must verify each other: it signs calls between them and what an identity hub says. The same value on all of them, 32 characters or more.',
    unset: 'no identity hub; calls between applications work in development on this machine only, without a signature',
    example: 'openssl rand -base64 48',
    secret: true,
  }),
  A2A_SECRET_PREVIOUS: variable({
    schema: text.transform(splitList),
    group: 'Other applications',
    description: 'Earlier values of `A2A_SECRET`, comma separated: they verify, but sign nothing.',
    unset: 'none',
    example: 'the value before',
    secret: true,
  }),
  FW_APP_ID: variable({
    schema: text.regex(/^[a-z][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens'),
    group: 'Other applications',
    description: 'How other applications and the identity hub name this one.',
    unset: 'the `appId` of the declared app roles, else the name in `fw.config.ts` in lower case',
    example: 'mail',
  }),
  FW_PEERS: variable({
    schema: text,
    group: 'Other applications',
    description:
      'The applications that this one calls and is called by, as JSON: their origins by the names that actions use. An entry that is not accepted is reported and ignored.',
    unset: 'none can be called; every application with the shared secret may call',
    example: '{"mail":"https://mail.example.com","docs":"https://docs.example.com"}',
  }),
  FW_IDENTITY_HUB_URL: variable({
    schema: text,
    group: 'Other applications',
    description:
      'The identity hub: another installation whose people can sign in here. Needs `A2A_SECRET`. The origin of this application itself makes it the hub only.',
    unset: 'no sign-in through a hub; nothing else changes',
    example: 'https://hub.example.com',
  }),
  FW_SSO_CLIENT_ID: variable({
    schema: text,
    group: 'Other applications',
    description: 'The client id under which the identity hub has registered this application.',
    unset: 'the application id',
    example: 'mail',
  }),
  IDENTITY_SSO_APP_REGISTRY_JSON: variable({
    schema: text,
    group: 'Other applications',
    description:
      'On the identity hub: the applications that may sign people in through it, as JSON. An origin is https, or http on this machine; `http://localhost` and `http://127.0.0.1` without a port stand for any port. An entry that is not accepted is reported and ignored.',
    unset: 'none besides those declared in `fw.config.ts`; in development any application on this machine',
    example:
      '[{"appId":"mail","clientId":"mail","origin":"https://mail.example.com","callbackPath":"/_fw/identity/callback","capabilities":["identity-sso"]}]',
  }),
  FW_IDENTITY_TRUSTED_PROVIDERS: variable({
    schema: text.transform(splitList),
    group: 'Other applications',
    description:
      'Sign-in providers, comma separated, that the identity hub is believed about: who signed in there with one of them counts here as signed in with it, for organizations that ask for it.',
    unset: 'none: only the address is believed',
    example: 'google',
  }),
}
