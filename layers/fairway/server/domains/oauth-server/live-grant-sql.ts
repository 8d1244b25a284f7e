import { mayOpenSql, personJoin } from '#fairway/server/domains/people'
import { membershipJoin, orgOpensTo } from '#fairway/server/domains/organizations'
import type { Config } from '#fairway/server/kernel/config/config'

type LiveConfig = Pick<Config, 'environment' | 'authDisabled' | 'customSignIn' | 'signIn'>

/** Joins a grant (`g`) with its person (`u`), membership (`m`) and organization (`o`); without one of them it opens nothing. */
export const grantJoins = `${personJoin('g.user_id')} ${membershipJoin('g.org_id')}`

/** Whether the person (`u`) may act through a host at all, by the provider of the session that approved it (`g.provider`). */
export const mayAct = (config: LiveConfig): string => mayOpenSql(config, 'g.provider')

/** Whether the person (`u`) may act through a host in the organization (`o`), by the provider of the session that approved it (`g.provider`). */
export const mayConnect = (config: LiveConfig): string => `${mayAct(config)} and ${orgOpensTo('g.provider')}`

/** Whether a grant (with `grantJoins`) is there still, whatever its organization asks for by now; its one parameter is the time in milliseconds. */
export const isUnended = (config: LiveConfig): string =>
  `g.revoked_at is null and g.expires_at > ? and ${mayAct(config)}`

/** The condition under which a grant (with `grantJoins`) opens anything; its one parameter is the time in milliseconds. */
export const isLive = (config: LiveConfig): string => `${isUnended(config)} and ${orgOpensTo('g.provider')}`

/** The same for a statement that names the grant by a column; its one parameter is the time in milliseconds. */
export const hasLiveGrant = (config: LiveConfig, grantId: string): string =>
  `exists (select 1 from oauth_grants g ${grantJoins} where g.id = ${grantId} and ${isLive(config)})`
