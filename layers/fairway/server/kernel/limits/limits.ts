/** The subject that a limit counts calls for, in authors' declarations. */
export type CallsPer = 'person' | 'organization' | 'network'

/** The limit on calls, as authors and the platform declare it. */
export interface CallLimit {
  per: CallsPer
  /** The maximum number of calls in the window. */
  max: number
  /** Seconds, from the first call on. */
  window: number
}

export interface Limit extends Omit<CallLimit, 'per'> {
  name: string
  /** The platform's own limits have further subjects: an email address, a grant, another application, all callers together. */
  per: CallsPer | 'address' | 'grant' | 'application' | 'installation'
  /**
   * Each instance counts separately, in its memory. For calls so frequent that a write for each attempt would cost more than the
   * attempt.
   */
  isPerInstance?: true
}

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

/** The maximum sizes of bodies in bytes, where an action sets no other: of requests, and of responses from other servers. */
export const bodyLimits = {
  /** A form or JSON input, where no other limit is set. */
  input: 64 * KIBIBYTE,
  /** A form with one ticket or one choice. */
  choice: 4 * KIBIBYTE,
  /** An exchange of a code at the identity hub, or a step of a desktop sign-in. */
  exchange: 8 * KIBIBYTE,
  /** One JSON-RPC message at /mcp. */
  message: MEBIBYTE,
  /** The metadata document of a client. */
  clientDocument: 64 * KIBIBYTE,
  /** JSON in the response of a provider or service. */
  answer: 256 * KIBIBYTE,
  /** The picture of a person; browsers shrink it before the upload. */
  picture: 200 * KIBIBYTE,
  /** Another application's response to a call. */
  peerAnswer: 4 * MEBIBYTE,
}

/** The maximum number of open streams in one instance: responses that continue while a page is open. */
export const streamLimits = {
  /** A browser needs only one for all of its tabs. */
  perSession: 6,
  /** On all devices together. */
  perPerson: 24,
  /** For an office behind one address, and at most a fifth of the total. */
  perNetwork: 1000,
  perProcess: 5000,
}

/** The maximum number of running requests of one subject in one instance. */
export interface ConcurrencyLimit {
  name: string
  most: number
}

/** Every limit on concurrent work. */
export const concurrencyLimits = {
  /** For each grant or static token. */
  mcpCallsPerGrant: { name: 'mcp-calls', most: 20 },
  /** Exports of collections, for each account, and for each network without a session. */
  collectionExports: { name: 'collection-exports', most: 3 },
  /** Files that one account sends at the same time. */
  uploads: { name: 'uploads', most: 6 },
} as const satisfies Record<string, ConcurrencyLimit>

const MINUTE = 60
const HOUR = 60 * MINUTE

/**
 * Every rate limit of the application: the counted event, the subject, and the maximum (docs/guides/devices.md explains them).
 */
export const limits = {
  /** For each account, all clients together; a network where the account is signed in has a separate count. */
  signInPerAccount: { name: 'sign-in-account', per: 'person', max: 5, window: 10 * MINUTE },
  /** For each network; a successful sign-in is not counted. */
  signInPerAddress: { name: 'sign-in-address', per: 'network', max: 30, window: 10 * MINUTE },
  signUpPerAddress: { name: 'sign-up-address', per: 'network', max: 10, window: HOUR },
  /** Wrong old passwords; counted separately, so that attempts at the sign-in page do not use it up. */
  changePasswordPerAccount: { name: 'change-password-account', per: 'person', max: 5, window: 10 * MINUTE },
  /** Providers and the identity hub together. */
  providerStartPerAddress: { name: 'provider-address', per: 'network', max: 60, window: 10 * MINUTE },
  /** Sign-ins by the provider of an organization: a whole company may begin its day behind one address. */
  connectionStartPerAddress: { name: 'connection-address', per: 'network', max: 1000, window: 10 * MINUTE },
  callbackPerAddress: { name: 'callback-address', per: 'network', max: 30, window: MINUTE },
  /** For all strangers together, and for each place where the account is known; the next two likewise. */
  signInLinksPerAccount: { name: 'mail-link-account', per: 'person', max: 5, window: HOUR },
  passwordLinksPerAccount: { name: 'password-link-account', per: 'person', max: 5, window: HOUR },
  verificationsPerAccount: { name: 'verification-account', per: 'person', max: 3, window: 10 * MINUTE },
  /** Mails of all kinds that one network requests. */
  mailsPerAddress: { name: 'mail-address', per: 'network', max: 10, window: 10 * MINUTE },
  /** Wrong codes of sign-in mails; one network tries them for many accounts. */
  mailedCodesPerAddress: { name: 'mail-code-address', per: 'network', max: 30, window: 10 * MINUTE },
  /** For all strangers together, and for each place where the account is known. A link still works when it is used up. */
  mailedCodesPerAccount: { name: 'mail-code-account', per: 'person', max: 20, window: 24 * HOUR },
  /** The sign-in page requests options on every visit, so this is far above the need of an office behind one address. */
  passkeyOptionsPerAddress: { name: 'passkey-options-address', per: 'network', max: 300, window: 10 * MINUTE },
  passkeysPerAddress: { name: 'passkey-address', per: 'network', max: 60, window: 10 * MINUTE },
  passkeyRegistrationsPerAccount: { name: 'passkey-registration', per: 'person', max: 30, window: HOUR },
  /** Wrong passwords in the settings of two-factor authentication. */
  twoFactorPasswordsPerAccount: { name: 'two-factor-password', per: 'person', max: 5, window: 10 * MINUTE },
  /** Wrong passwords where a change requires the password again: a new address, deleting the account. */
  ownPasswordsPerAccount: { name: 'own-password-account', per: 'person', max: 5, window: 10 * MINUTE },
  /** Changes of address that one person requests, each of which sends two mails. */
  addressChangesPerAccount: { name: 'address-change-account', per: 'person', max: 5, window: HOUR },
  /** For each new address, with or without an account. */
  addressChangesPerRecipient: { name: 'address-change-recipient', per: 'address', max: 5, window: HOUR },
  picturesPerAccount: { name: 'pictures-account', per: 'person', max: 30, window: HOUR },
  uploadsPerAccount: { name: 'uploads-account', per: 'person', max: 1000, window: HOUR },
  exportsPerAccount: { name: 'exports-account', per: 'person', max: 20, window: HOUR },
  /** For each account and network, so that strangers who know the password cannot lock the owner out elsewhere. */
  codesPerNetwork: { name: 'two-factor-account', per: 'network', max: 10, window: 15 * MINUTE },
  /** All networks together where the account has no proved session. More than one network can use up in an hour. */
  codesOfStrangers: { name: 'two-factor-strangers', per: 'person', max: 60, window: HOUR },
  embedTicketsPerAccount: { name: 'embed-tickets', per: 'person', max: 300, window: HOUR },
  /** For each grant or static token. */
  mcpCallsPerGrant: { name: 'mcp-calls', per: 'grant', max: 600, window: MINUTE, isPerInstance: true },
  /** Registration requests of hosts, including those that are registered already. */
  oauthRegistrationRequestsPerAddress: { name: 'oauth-register-requests', per: 'network', max: 300, window: HOUR },
  /** New hosts; a host that many people use registers them all from one address. */
  oauthRegistrationsPerAddress: { name: 'oauth-register-address', per: 'network', max: 60, window: HOUR },
  /** Requests for the authorization page. */
  authorizationsPerAddress: { name: 'oauth-authorize-address', per: 'network', max: 120, window: MINUTE },
  /** All hosts behind one address together; a host refreshes its token once an hour. */
  oauthTokensPerAddress: { name: 'oauth-token-address', per: 'network', max: 300, window: MINUTE },
  /** Codes for devices without a browser. */
  deviceCodesPerAddress: { name: 'device-codes-address', per: 'network', max: 60, window: 10 * MINUTE },
  /** Wrong codes that people type at `/device`, and those of the whole installation (RFC 8628 §5.1). */
  deviceGuessesPerAddress: { name: 'device-guesses-address', per: 'network', max: 10, window: 10 * MINUTE },
  deviceGuesses: { name: 'device-guesses', per: 'installation', max: 300, window: 10 * MINUTE },
  oauthRevocationsPerAddress: { name: 'oauth-revoke-address', per: 'network', max: 60, window: MINUTE },
  /** Connections to a provider that one person starts. */
  connectionsPerAccount: { name: 'connections-account', per: 'person', max: 60, window: 10 * MINUTE },
  /** For the identity hub: people who come from other applications. */
  identityAuthorizationsPerAddress: { name: 'identity-authorize-address', per: 'network', max: 120, window: MINUTE },
  identityCodesPerAccount: { name: 'identity-codes', per: 'person', max: 60, window: 10 * MINUTE },
  /** All users who sign in to one application share one address here: that of its server. */
  identityTokensPerAddress: { name: 'identity-token-address', per: 'network', max: 600, window: MINUTE },
  identityChecksPerAddress: { name: 'identity-check-address', per: 'network', max: 60, window: MINUTE },
  /** Calls of one other application, all of its people together. */
  a2aCallsPerApp: { name: 'a2a-calls', per: 'application', max: 600, window: MINUTE },
  /** Calls with an invalid token. */
  a2aRefusalsPerAddress: { name: 'a2a-refusals-address', per: 'network', max: 60, window: MINUTE },
  /** Rehearsals, each of which holds the only write lock for up to two seconds. */
  rehearsalsPerAccount: { name: 'rehearsals-account', per: 'person', max: 20, window: MINUTE },
  /** Approvals that apps request from one person. */
  approvalsPerAccount: { name: 'a2a-approvals-account', per: 'person', max: 60, window: HOUR },
  /** Sign-ins that desktop applications start. */
  desktopCeremoniesPerAddress: { name: 'desktop-ceremonies-address', per: 'network', max: 30, window: 10 * MINUTE },
  /** A desktop application polls until its person has confirmed. */
  desktopExchangesPerAddress: {
    name: 'desktop-exchanges-address',
    per: 'network',
    max: 600,
    window: MINUTE,
    isPerInstance: true,
  },
  /** Mails to addresses without an account, across all organizations. */
  invitationsPerAccount: { name: 'invitations-account', per: 'person', max: 20, window: HOUR },
  invitationsPerAddress: { name: 'invitations-address', per: 'network', max: 20, window: HOUR },
  invitationsPerOrg: { name: 'invitations-org', per: 'organization', max: 100, window: HOUR },
  /** Mailed links with which owners lift a rule that keeps them out. */
  wayBacksPerAccount: { name: 'way-backs-account', per: 'person', max: 5, window: HOUR },
  /** Visits with an unknown or ended secret of a setup link. */
  setupGuessesPerAddress: { name: 'setup-guesses-address', per: 'network', max: 30, window: 10 * MINUTE },
  /** Forms that the IT contacts of an organization send; most changes mail the owners. */
  setupChangesPerOrg: { name: 'setup-changes-org', per: 'organization', max: 120, window: HOUR },
  /** Requests of the directory of an organization; Entra ID wants 25 a second. */
  scimPerOrg: { name: 'scim-org', per: 'organization', max: 3000, window: MINUTE, isPerInstance: true },
  /** Questions to the DNS about the domains of an organization. */
  domainChecksPerOrg: { name: 'domain-checks-org', per: 'organization', max: 60, window: HOUR },
  /** Tests, replays and new secrets of webhooks, and new webhooks. */
  webhookChangesPerAccount: { name: 'webhook-changes-account', per: 'person', max: 120, window: HOUR },
  /** Pages of the activity. */
  activityPagesPerAccount: { name: 'activity-account', per: 'person', max: 60, window: MINUTE, isPerInstance: true },
  /** Tickets of public forms; a page requests one, and one more each time that its form is sent. */
  formTicketsPerAddress: { name: 'form-tickets-address', per: 'network', max: 120, window: HOUR },
  /** Submissions of one kind of public form. */
  formsPerAddress: { name: 'forms-address', per: 'network', max: 10, window: HOUR },
  /** Changes of the address of an organization: each former one stays taken for a while. */
  slugChangesPerOrganization: { name: 'slug-changes-organization', per: 'organization', max: 5, window: 24 * HOUR },
  organizationsPerAccount: { name: 'organizations-account', per: 'person', max: 10, window: 24 * HOUR },
} as const satisfies Record<string, Limit>
