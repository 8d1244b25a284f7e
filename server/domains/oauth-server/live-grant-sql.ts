import { type Config, DEV_EMAIL, LEGACY_LOCAL_EMAIL } from '#server/foundation/config/config'

type LiveConfig = Pick<Config, 'environment' | 'authDisabled' | 'customSignIn'>

/** Joins a grant (`g`) with its person (`u`), membership (`m`) and organization (`o`); without one of them it opens nothing. */
export const grantJoins = `
  join users u on u.id = g.user_id
  join org_members m on m.org_id = g.org_id and m.user_id = g.user_id
  join organizations o on o.id = g.org_id`

/** Whether the person (`u`) may act in the organization (`o`) through a host. Local identities open nothing in production. */
export const mayConnect = ({ environment, authDisabled, customSignIn }: LiveConfig): string =>
  [
    `u.email <> '${LEGACY_LOCAL_EMAIL}'`,
    ...(environment === 'production' && !authDisabled ? [`u.kind <> 'dev' and u.email <> '${DEV_EMAIL}'`] : []),
    // Where people sign in elsewhere there are no accounts; the session that approved was checked against the rule.
    ...(customSignIn
      ? []
      : [
          `(o.required_auth_provider is null or exists (
            select 1 from accounts a where a.user_id = u.id and a.provider_id = o.required_auth_provider))`,
        ]),
  ].join(' and ')

/** The condition under which a grant (with `grantJoins`) opens anything; its one parameter is the time in milliseconds. */
export const isLive = (config: LiveConfig): string =>
  `g.revoked_at is null and g.expires_at > ? and ${mayConnect(config)}`

/** The same for a statement that names the grant by a column; its one parameter is the time in milliseconds. */
export const hasLiveGrant = (config: LiveConfig, grantId: string): string =>
  `exists (select 1 from oauth_grants g ${grantJoins} where g.id = ${grantId} and ${isLive(config)})`
