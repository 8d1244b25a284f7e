/** What a kind of security events is about, as filters name it. */
export const EVENT_GROUPS = ['sign-in', 'account', 'apps', 'providers', 'applications'] as const
/** How what an event tells of went. */
export const EVENT_OUTCOMES = ['done', 'failed', 'blocked'] as const

interface EventKind {
  /** What it means, for operators. */
  title: string
  group: (typeof EVENT_GROUPS)[number]
  outcome: (typeof EVENT_OUTCOMES)[number]
  /** More than this many in an hour raise an alert (SPEC: Limits); null for none. */
  alertAbove: number | null
  /** Part of everyday life: it is logged as information. */
  isOrdinary?: true
}

/** Kinds of security events. The ordinary ones are what people see of their own account under Recent activity. */
export const eventKinds = {
  'callback-failed': {
    group: 'providers',
    outcome: 'failed',
    title: 'A provider sent a browser back and the sign-in or connection failed.',
    alertAbove: 50,
  },
  'state-validation-failed': {
    group: 'providers',
    outcome: 'blocked',
    title: 'The state of a callback was missing, used, or of another browser.',
    alertAbove: 10,
  },
  'token-refresh-failed': {
    group: 'providers',
    outcome: 'failed',
    title: 'A provider did not renew a token.',
    alertAbove: 20,
  },
  'invalid-provider-response': {
    group: 'providers',
    outcome: 'failed',
    title: 'A provider answered with something that is not valid.',
    alertAbove: 5,
  },
  'provider-client-refused': {
    group: 'providers',
    outcome: 'failed',
    title: 'A provider does not accept this application: its client id or secret there is wrong.',
    alertAbove: 0,
  },
  'connection-cancelled': {
    group: 'providers',
    outcome: 'failed',
    title: 'A user cancelled at a provider.',
    alertAbove: null,
  },
  'account-refused': {
    group: 'providers',
    outcome: 'blocked',
    title: 'A user came from a provider and may not sign in here.',
    alertAbove: null,
  },
  'callbacks-limited': {
    group: 'providers',
    outcome: 'blocked',
    title: 'One address sent more callbacks than it may.',
    alertAbove: null,
  },
  'code-replayed': {
    group: 'apps',
    outcome: 'blocked',
    title: 'An authorization code was used a second time; everything issued from it has ended, if its own app did so.',
    alertAbove: null,
  },
  'refresh-token-replayed': {
    group: 'apps',
    outcome: 'blocked',
    title: 'A refresh token was used a second time; its connection has ended.',
    alertAbove: null,
  },
  'identity-code-replayed': {
    group: 'applications',
    outcome: 'blocked',
    title: 'An application redeemed a code of the identity hub a second time.',
    alertAbove: null,
  },
  'identity-code-refused': {
    group: 'applications',
    outcome: 'blocked',
    title: 'A code of the identity hub came with another client, address or verifier; it is used up.',
    alertAbove: null,
  },
  'peer-refused': {
    group: 'applications',
    outcome: 'blocked',
    title: 'A call of another application was not accepted.',
    alertAbove: null,
  },
  'desktop-sign-in-refused': {
    group: 'applications',
    outcome: 'blocked',
    title: 'A desktop sign-in was opened or exchanged from another browser, by another user, or with a wrong verifier.',
    alertAbove: null,
  },
  'account-claimed': {
    group: 'account',
    outcome: 'done',
    title: 'The owner of an address ended the other ways into an account that was used before.',
    alertAbove: null,
  },
  'address-changed': {
    group: 'account',
    outcome: 'done',
    title: 'A person changed the address of their account; the owners of both addresses confirmed it.',
    alertAbove: null,
    isOrdinary: true,
  },
  'account-deleted': {
    group: 'account',
    outcome: 'done',
    title: 'A person deleted their account.',
    alertAbove: null,
    isOrdinary: true,
  },
  'credential-unreadable': {
    group: 'applications',
    outcome: 'failed',
    title: 'A sealed credential could not be opened.',
    alertAbove: null,
  },
  'sign-in-failed': {
    title: 'A password or a code was wrong.',
    group: 'sign-in',
    outcome: 'failed',
    alertAbove: null,
    isOrdinary: true,
  },
  'sign-in-blocked': {
    title: 'A sign-in was stopped: too many tries, or the address is not confirmed.',
    group: 'sign-in',
    outcome: 'blocked',
    alertAbove: null,
    isOrdinary: true,
  },
  'new-device': {
    title: 'Somebody signed in on a device that the account was never used on.',
    group: 'sign-in',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'password-changed': {
    title: 'A password was changed.',
    group: 'account',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'password-set': {
    title: 'An account without a password was given one.',
    group: 'account',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'two-factor-on': {
    title: 'Two-factor sign-in was switched on.',
    group: 'account',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'two-factor-off': {
    title: 'Two-factor sign-in was switched off.',
    group: 'account',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'backup-codes-renewed': {
    title: 'Backup codes were replaced.',
    group: 'account',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'backup-code-used': {
    title: 'A backup code was used to sign in.',
    group: 'sign-in',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'passkey-added': {
    title: 'A passkey was added.',
    group: 'account',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'passkey-removed': {
    title: 'A passkey was removed.',
    group: 'account',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'passkey-renamed': {
    title: 'A passkey was renamed.',
    group: 'account',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'account-linked': {
    title: 'An account at a provider was linked.',
    group: 'account',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'account-unlinked': {
    title: 'An account at a provider was unlinked.',
    group: 'account',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'sessions-revoked': {
    title: 'Sessions were revoked.',
    group: 'account',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'token-made': {
    title: 'A personal token was made.',
    group: 'apps',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'token-revoked': {
    title: 'A personal token was revoked.',
    group: 'apps',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
  'token-used': {
    title: 'A personal token was used from an address it was never used from.',
    group: 'apps',
    outcome: 'done',
    alertAbove: null,
    isOrdinary: true,
  },
} as const satisfies Record<string, EventKind>

export type SecurityEventKind = keyof typeof eventKinds

/** The kind of this name, also for texts that come from rows; undefined for one that is not known any more. */
export const findEventKind = (kind: string): EventKind | undefined =>
  Object.hasOwn(eventKinds, kind) ? eventKinds[kind as SecurityEventKind] : undefined
