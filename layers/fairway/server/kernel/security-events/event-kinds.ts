/** Kinds of security events: what each means, and how many in an hour raise an alert (SPEC: Limits). */
export const eventKinds = {
  'callback-failed': { title: 'A provider sent somebody back and it did not work out.', alertAbove: 50 },
  'state-validation-failed': {
    title: 'The state of a callback was missing, used, or of another browser.',
    alertAbove: 10,
  },
  'token-refresh-failed': { title: 'A provider did not renew a token.', alertAbove: 20 },
  'invalid-provider-response': { title: 'A provider answered with something that is not valid.', alertAbove: 5 },
  'provider-client-refused': {
    title: 'A provider does not accept this application: its client id or secret there is wrong.',
    alertAbove: 0,
  },
  'connection-cancelled': { title: 'Somebody cancelled at a provider.', alertAbove: null },
  'account-refused': { title: 'Somebody came from a provider and may not sign in here.', alertAbove: null },
  'callbacks-limited': { title: 'One address sent more callbacks than it may.', alertAbove: null },
  'code-replayed': {
    title: 'An authorization code was used a second time; everything issued from it has ended, if its own app did so.',
    alertAbove: null,
  },
  'refresh-token-replayed': {
    title: 'A refresh token was used a second time; its connection has ended.',
    alertAbove: null,
  },
  'identity-code-replayed': {
    title: 'An application redeemed a code of the identity hub a second time.',
    alertAbove: null,
  },
  'identity-code-refused': {
    title: 'A code of the identity hub came with another client, address or verifier; it is used up.',
    alertAbove: null,
  },
  'peer-refused': { title: 'A call of another application was not accepted.', alertAbove: null },
  'desktop-sign-in-refused': {
    title:
      'A desktop sign-in was opened or exchanged from another browser, by somebody else, or with a wrong verifier.',
    alertAbove: null,
  },
  'account-claimed': {
    title: 'The owner of an address ended the other ways into an account that somebody had used before.',
    alertAbove: null,
  },
  'credential-unreadable': { title: 'A sealed credential could not be opened.', alertAbove: null },
} as const satisfies Record<string, { title: string; alertAbove: number | null }>

export type SecurityEventKind = keyof typeof eventKinds
