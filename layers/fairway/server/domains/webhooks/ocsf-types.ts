// The class and the activity that each event has in OCSF 1.8.0 (https://schema.ocsf.io/1.8.0).
export const OTHER = 99

export const ACCOUNT_CHANGE = 3001
export const AUTHENTICATION = 3002
export const ENTITY_MANAGEMENT = 3004
export const USER_ACCESS = 3005
export const GROUP_MANAGEMENT = 3006
export const WEB_RESOURCES_ACTIVITY = 6001
export const API_ACTIVITY = 6003

export const ADD_USER = 3
export const REMOVE_USER = 4
const REVOKE_PRIVILEGES = 2

/** Failures of OAuth 2.0: of providers that people sign in with, and of apps that are connected here. */
export const OAUTH_FAILURES = [
  'security.callback-failed',
  'security.state-validation-failed',
  'security.connection-cancelled',
  'security.account-refused',
  'security.callbacks-limited',
  'security.code-replayed',
  'security.refresh-token-replayed',
  'security.device-codes-limited',
  'security.identity-code-replayed',
  'security.identity-code-refused',
  'security.desktop-sign-in-refused',
]

/** The events of each class by activity. Events that are not listed are Web Resources Activity or API Activity (`typeOf`). */
export const LISTED: Readonly<Record<number, Readonly<Record<number, readonly string[]>>>> = {
  [ACCOUNT_CHANGE]: {
    1: ['security.account-imported'],
    2: ['security.account-reactivated', 'audit.reactivate-person'],
    3: ['security.password-changed', 'security.password-set'],
    5: ['security.account-suspended', 'audit.suspend-person'],
    6: ['security.account-deleted', 'audit.delete-account'],
    10: ['security.two-factor-on', 'security.passkey-added', 'audit.switch-on-two-factor', 'audit.add-passkey'],
    11: [
      'security.two-factor-off',
      'security.two-factor-reset',
      'security.passkey-removed',
      'audit.switch-off-two-factor',
      'audit.reset-second-factor',
      'audit.remove-passkey',
    ],
    [OTHER]: [
      'security.account-claimed',
      'security.account-linked',
      'security.account-unlinked',
      'security.address-changed',
      'security.backup-codes-renewed',
      'security.passkey-renamed',
      'audit.cancel-address-change',
      'audit.change-address',
      'audit.rename-passkey',
      'audit.renew-backup-codes',
      'audit.unlink-account',
    ],
  },
  [AUTHENTICATION]: {
    1: [
      'security.new-device',
      'security.backup-code-used',
      'security.sign-in-failed',
      'security.sign-in-blocked',
      'security.token-used',
      ...OAUTH_FAILURES,
    ],
    2: ['security.sessions-revoked', 'audit.end-person-sessions'],
    7: ['security.account-viewed', 'audit.view-person', 'audit.end-view'],
  },
  [ENTITY_MANAGEMENT]: {
    1: [
      'security.token-made',
      'audit.add-identity-connection',
      'audit.add-managed-client',
      'audit.add-service-account',
      'audit.add-team',
      'audit.claim-domain',
      'audit.create-role',
      'audit.create-webhook',
      'audit.make-personal-token',
      'audit.make-service-key',
    ],
    2: ['security.credential-unreadable', 'audit.check-domain', 'audit.test-identity-connection'],
    3: [
      'audit.change-identity-connection',
      'audit.change-role',
      'audit.change-service-account',
      'audit.change-webhook',
      'audit.rename-team',
      'audit.renew-webhook-secret',
      'audit.set-auth-provider',
      'audit.set-credential',
      'audit.set-directory-mapping',
      'audit.set-own-credential',
      'audit.set-plan',
      'audit.set-second-factor-policy',
      'audit.set-session-policy',
      'audit.update-organization',
    ],
    4: [
      'security.token-revoked',
      'audit.delete-credential',
      'audit.delete-identity-connection',
      'audit.delete-own-credential',
      'audit.delete-role',
      'audit.delete-team',
      'audit.delete-webhook',
      'audit.end-connection',
      'audit.end-grant',
      'audit.end-managed-client',
      'audit.end-own-grant',
      'audit.end-service-account',
      'audit.end-service-key',
      'audit.remove-domain',
      'audit.revoke-personal-token',
    ],
    8: ['audit.restore-any-organization', 'audit.restore-organization'],
    10: ['audit.activate-identity-connection'],
    11: ['audit.deactivate-identity-connection'],
  },
  [USER_ACCESS]: {
    1: ['audit.assign-app-role', 'audit.assign-role', 'audit.change-member-role', 'audit.transfer-ownership'],
    2: ['audit.unassign-role'],
  },
  [GROUP_MANAGEMENT]: {
    [ADD_USER]: ['audit.accept-invitation', 'audit.join-organization'],
    [REMOVE_USER]: ['audit.leave-organization', 'audit.remove-member'],
    5: ['audit.delete-any-organization', 'audit.delete-organization'],
    6: ['audit.create-organization'],
  },
  [WEB_RESOURCES_ACTIVITY]: { 7: ['security.account-exported'] },
}

const listedTypes = new Map(
  Object.entries(LISTED).flatMap(([classUid, activities]) =>
    Object.entries(activities).flatMap(([activity, types]) =>
      types.map(type => [type, Number(classUid) * 100 + Number(activity)] as const),
    ),
  ),
)

/** The activity of API Activity by the first word of an action. The log does not keep the method of a call. */
const VERBS: Readonly<Record<number, RegExp>> = {
  1: /^(add|book|claim|copy|create|duplicate|import|insert|invite|make|open|upload)-/,
  2: /^(check|count|download|export|find|get|list|read|search|show|test|view)-/,
  3: /^(archive|assign|change|edit|move|publish|rename|renew|restore|save|set|share|switch|unarchive|unpublish|update)-/,
  4: /^(cancel|delete|end|purge|remove|revoke|stop|unlink|unshare)-/,
}

const activityOfVerb = (name: string): number =>
  Number(Object.entries(VERBS).find(([, verbs]) => verbs.test(`${name}-`))?.[0] ?? OTHER)

/** The type of an event without the name of its log. */
export const nameOf = (type: string): string => type.slice(type.indexOf('.') + 1)

/** The `type_uid` of an event: its class × 100 and its activity. `input` reads the texts that an audit row kept. */
export function typeOf(type: string, caller: string | undefined, input: (field: string) => string | undefined): number {
  const isRoleTaken = type === 'audit.assign-app-role' && input('email') !== undefined && input('role') === undefined
  if (isRoleTaken) return USER_ACCESS * 100 + REVOKE_PRIVILEGES
  const listed = listedTypes.get(type)
  if (listed !== undefined) return listed
  if (!type.startsWith('audit.')) return API_ACTIVITY * 100 + OTHER
  const name = nameOf(type)
  const isAgent = caller === 'mcp' || caller === 'a2a'
  if (!isAgent && name.startsWith('export-')) return WEB_RESOURCES_ACTIVITY * 100 + 7
  if (!isAgent && name.startsWith('share-')) return WEB_RESOURCES_ACTIVITY * 100 + 8
  return API_ACTIVITY * 100 + activityOfVerb(name)
}
