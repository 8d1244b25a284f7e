const PREFIX = 'connection:'

/** The name of an organization's connection as a provider of sessions, linked accounts and sign-in rules. */
export const connectionProvider = (id: string): string => PREFIX + id

/** The ID of the connection; undefined for other providers. */
export const connectionIdOf = (provider: string): string | undefined =>
  isConnectionProvider(provider) ? provider.slice(PREFIX.length) : undefined

/** Whether a provider is the connection of an organization. */
export const isConnectionProvider = (provider: string): boolean => provider.startsWith(PREFIX)
