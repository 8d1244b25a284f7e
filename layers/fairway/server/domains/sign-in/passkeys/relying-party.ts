import type { Config } from '#fairway/server/kernel/config/config'

/** What passkeys are bound to: the host and the origin of the configured base URL, never of the request. */
export function relyingParty({ baseUrl }: Pick<Config, 'baseUrl'>): { rpId: string; origin: string } {
  const { hostname, origin } = new URL(baseUrl)
  return { rpId: hostname, origin }
}
