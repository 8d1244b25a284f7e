import type { App } from '#fairway/server/kernel/app-context'

/** The protocol's library, loaded with the first request of a host: starting the server does not pay for it. */
export const loadSdk = (app: App) => app.memo('mcp-sdk', () => import('@modelcontextprotocol/server'))

export type Sdk = Awaited<ReturnType<typeof loadSdk>>
