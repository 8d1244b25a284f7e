export interface SignInPolicyInput {
  /** `auth.requireEmailVerification`, else `AUTH_REQUIRE_EMAIL_VERIFICATION`; undefined when neither says anything. */
  declared: boolean | undefined
  /** Whether mails are sent, or written to the outbox of a development server. */
  mailReady: boolean
  /** `AUTH_SKIP_EMAIL_VERIFICATION`; undefined when not set. */
  skipVerification: boolean | undefined
  environment: 'development' | 'test' | 'production'
  /** `AUTH_MAGIC_LINK`; undefined when not set. */
  magicLink: boolean | undefined
}

export interface SignInPolicy {
  /** Whether a link by mail is offered, before the password. */
  magicLink: boolean
  /** Whether an account can be made with a password. */
  passwordSignUp: boolean
  /** Whether a password account opens only after its address was confirmed. */
  emailVerification: 'required' | 'skipped'
  /** Whether an address counts as a person's own before it was confirmed, for example to accept an invitation. */
  acceptsUnverified: boolean
}

/** Names the setting by which accounts open before their address is confirmed; null where it must be confirmed first. */
export function unconfirmedBy(input: SignInPolicyInput, { inCode }: { inCode: boolean }): string | null {
  const { declared, skipVerification, environment } = input
  if (signInPolicy(input).emailVerification === 'required') return null
  if (declared === false) return inCode ? 'auth.requireEmailVerification' : 'AUTH_REQUIRE_EMAIL_VERIFICATION'
  if (declared === undefined && skipVerification) return 'AUTH_SKIP_EMAIL_VERIFICATION'
  return skipVerification === undefined && environment !== 'production' ? 'NODE_ENV' : 'SMTP_URL and EMAIL_FROM'
}

/** Which ways of signing in with an address there are (SPEC: Modes and switches): declared policy, else the skip switch, else the environment's default. */
export function signInPolicy(input: SignInPolicyInput): SignInPolicy {
  const { declared, mailReady, skipVerification, environment } = input
  const wanted = declared ?? !(skipVerification ?? environment !== 'production')
  return {
    magicLink: mailReady && input.magicLink !== false,
    // Only a declared wish closes sign-up; a default that cannot be met falls back to unconfirmed accounts.
    passwordSignUp: declared !== true || mailReady,
    emailVerification: wanted && (mailReady || declared === true) ? 'required' : 'skipped',
    acceptsUnverified: !wanted,
  }
}
