import type { Scope } from '../scopes'

/** One connected app of a person in one organization, as `GET /_fw/grants` lists it; never a token. Times are ISO 8601 UTC. */
export interface ConnectedApp {
  /** The id of the grant, for `DELETE /_fw/grants/{id}`. */
  id: string
  clientId: string
  /** As it was shown when it was approved. */
  clientName: string
  /** The host of the app's own address; null when it has none, for example because it runs on the person's machine. */
  clientHost: string | null
  /** Whether it is a personal token of a member, which only the list of an organization shows. */
  isToken: boolean
  orgId: string
  orgName: string
  scopes: { scope: Scope; description: string }[]
  createdAt: string
  /** Exact to five minutes; null for a personal token that was not used yet. */
  lastUsedAt: string | null
  /** When it must be approved again at the latest. */
  expiresAt: string
}

/** One connected app of a member, as `GET /_fw/org/grants` lists it for owners and admins. */
export interface OrganizationGrant extends ConnectedApp {
  userId: string
  email: string
  name: string
}

/** A personal token as `GET /_fw/tokens` lists it; never the token itself. Times are ISO 8601 UTC. */
export interface PersonalToken extends Pick<
  ConnectedApp,
  'id' | 'orgId' | 'orgName' | 'scopes' | 'createdAt' | 'lastUsedAt' | 'expiresAt'
> {
  name: string
}
