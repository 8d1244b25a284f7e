/** The subjects of security events, as filters name them. */
export const EVENT_GROUPS = ['sign-in', 'account', 'apps', 'providers', 'applications', 'jobs'] as const
/** The outcomes of what an event reports. */
export const EVENT_OUTCOMES = ['done', 'failed', 'blocked'] as const

interface EventKind {
  /** Its meaning, for operators. */
  title: string
  group: (typeof EVENT_GROUPS)[number]
  outcome: (typeof EVENT_OUTCOMES)[number]
  /** An alert is raised above this number in an hour (SPEC: Limits); null for none. */
  alertAbove: number | null
  /** An everyday event, which is logged as information. */
  isOrdinary?: true
}

const kind = (
  group: EventKind['group'],
  outcome: EventKind['outcome'],
  title: string,
  alertAbove: EventKind['alertAbove'] = null,
): EventKind => ({ title, group, outcome, alertAbove })

const ordinary = (...told: Parameters<typeof kind>): EventKind => ({ ...kind(...told), isOrdinary: true })

/** Kinds of security events. People see the ordinary ones of their own account under Recent activity. */
export const eventKinds = {
  'callback-failed': kind(
    'providers',
    'failed',
    'A provider sent a browser back and the sign-in or connection failed.',
    50,
  ),
  'state-validation-failed': kind(
    'providers',
    'blocked',
    'The state of a callback was missing, used, or of another browser.',
    10,
  ),
  'token-refresh-failed': kind('providers', 'failed', 'A provider did not renew a token.', 20),
  'invalid-provider-response': kind('providers', 'failed', 'A provider answered with something that is not valid.', 5),
  'provider-client-refused': kind(
    'providers',
    'failed',
    'A provider does not accept this application: its client id or secret there is wrong.',
    0,
  ),
  'job-failed': kind('jobs', 'failed', 'A job has failed for good. It waits until somebody retries it.', 0),
  'files-not-deleted': kind(
    'jobs',
    'blocked',
    'Files that no row uses were not deleted: they may belong to another installation, or are unusually many.',
    0,
  ),
  'connection-cancelled': kind('providers', 'failed', 'A user cancelled at a provider.'),
  'account-refused': kind('providers', 'blocked', 'A user came from a provider and may not sign in here.'),
  'callbacks-limited': kind('providers', 'blocked', 'One address sent more callbacks than it may.'),
  'code-replayed': kind(
    'apps',
    'blocked',
    'An authorization code was used a second time; everything issued from it has ended, if its own app did so.',
  ),
  'refresh-token-replayed': kind(
    'apps',
    'blocked',
    'A refresh token was used a second time; its connection has ended.',
  ),
  'device-codes-limited': kind(
    'apps',
    'blocked',
    'More wrong codes of devices were typed than one network, or the installation, may.',
  ),
  'identity-code-replayed': kind(
    'applications',
    'blocked',
    'An application redeemed a code of the identity hub a second time.',
  ),
  'identity-code-refused': kind(
    'applications',
    'blocked',
    'A code of the identity hub came with another client, address or verifier; it is used up.',
  ),
  'peer-refused': kind('applications', 'blocked', 'A call of another application was not accepted.'),
  'desktop-sign-in-refused': kind(
    'applications',
    'blocked',
    'A desktop sign-in was opened or exchanged from another browser, by another user, or with a wrong verifier.',
  ),
  'account-claimed': kind(
    'account',
    'done',
    'The owner of an address ended the other ways into an account that was used before.',
  ),
  'address-changed': ordinary(
    'account',
    'done',
    'A person changed the address of their account; the owners of both addresses confirmed it.',
  ),
  'account-suspended': ordinary('account', 'done', 'An operator suspended an account.'),
  'account-viewed': ordinary('account', 'done', 'An operator viewed the application as a person.'),
  'account-reactivated': ordinary('account', 'done', 'An operator reactivated a suspended account.'),
  'account-exported': ordinary('account', 'done', 'A person downloaded everything that is stored about them.'),
  'account-imported': ordinary('account', 'done', 'An operator imported an account from another system.'),
  'account-deleted': ordinary('account', 'done', 'A person deleted their account.'),
  'credential-unreadable': kind('applications', 'failed', 'A sealed credential could not be opened.'),
  'sign-in-failed': ordinary('sign-in', 'failed', 'A password or a code was wrong.'),
  'sign-in-blocked': ordinary(
    'sign-in',
    'blocked',
    'A sign-in was stopped: too many tries, or the address is not confirmed.',
  ),
  'new-device': ordinary('sign-in', 'done', 'Somebody signed in on a device that the account was never used on.'),
  'password-changed': ordinary('account', 'done', 'A password was changed.'),
  'password-set': ordinary('account', 'done', 'An account without a password was given one.'),
  'two-factor-on': ordinary('account', 'done', 'Two-factor authentication was switched on.'),
  'two-factor-off': ordinary('account', 'done', 'Two-factor authentication was switched off.'),
  'two-factor-reset': ordinary('account', 'done', 'An operator reset the two-factor authentication of a person.'),
  'backup-codes-renewed': ordinary('account', 'done', 'Backup codes were replaced.'),
  'backup-code-used': ordinary('sign-in', 'done', 'A backup code was used to sign in.'),
  'passkey-added': ordinary('account', 'done', 'A passkey was added.'),
  'passkey-removed': ordinary('account', 'done', 'A passkey was removed.'),
  'passkey-renamed': ordinary('account', 'done', 'A passkey was renamed.'),
  'account-linked': ordinary('account', 'done', 'An account at a provider was linked.'),
  'account-unlinked': ordinary('account', 'done', 'An account at a provider was unlinked.'),
  'sessions-revoked': ordinary('account', 'done', 'Sessions were revoked.'),
  'token-made': ordinary('apps', 'done', 'A personal token was made.'),
  'token-revoked': ordinary('apps', 'done', 'A personal token was revoked.'),
  'token-used': ordinary('apps', 'done', 'A personal token was used from an address it was never used from.'),
}

export type SecurityEventKind = keyof typeof eventKinds

/** Returns the kind of this name, also for texts from rows; undefined for a kind that no longer exists. */
export const findEventKind = (kind: string): EventKind | undefined =>
  Object.hasOwn(eventKinds, kind) ? eventKinds[kind as SecurityEventKind] : undefined
