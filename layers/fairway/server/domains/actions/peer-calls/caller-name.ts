import type { App } from '#fairway/server/kernel/app-context'

/** How people are told which application asks: its host, with the name that the operator gave it. */
export function callerName({ config }: App, caller: string): string {
  if (!URL.canParse(caller)) return caller
  const { host } = new URL(caller)
  const [name] = [...config.identity.peers].find(([, origin]) => origin === caller) ?? []
  return name ? `${name} (${host})` : host
}
