// Documents with which directories and hosts find `/mcp` before anyone signs in. They name no tools.
import { type H3Event, setResponseHeaders, setResponseStatus } from 'h3'
import type { Config } from '#fairway/server/kernel/config/config'
import { getApp } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { matchesEtag } from '#fairway/server/kernel/http/request-info'
import { MCP_PATH, SERVER_CARD_PATH } from '#fairway/shared/paths'
import { serverInfo } from './mcp-server'
import { REVISIONS } from './plain-message'

type About = Pick<Config, 'name' | 'baseUrl'> & {
  mcp: Pick<Config['mcp'], 'about'>
  identity: Pick<Config['identity'], 'appId'>
}

const CARD_TYPE = 'application/mcp-server-card+json'
const CATALOG_TYPE = 'application/ai-catalog+json'

/** Returns the server card of `/mcp` (SEP-2127). Its name begins with the host in reverse. */
export function serverCard(config: About) {
  const { name, title, version, websiteUrl, icons } = serverInfo(config)
  const host = new URL(config.baseUrl).hostname.split('.').toReversed().join('.')
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `${host}/${config.identity.appId}`,
    version,
    description: config.mcp.about.description ?? `The tools of ${name}.`,
    title,
    websiteUrl,
    icons,
    remotes: [{ type: 'streamable-http', url: config.baseUrl + MCP_PATH, supportedProtocolVersions: REVISIONS }],
  }
}

/** Returns the catalog of this host: one entry, which leads to the server card. */
export const aiCatalog = (config: About) => ({
  specVersion: '1.0',
  entries: [
    {
      identifier: `urn:air:${new URL(config.baseUrl).hostname}:mcp:${config.identity.appId}`,
      type: CARD_TYPE,
      url: config.baseUrl + SERVER_CARD_PATH,
    },
  ],
})

const send = (type: string, document: (config: About) => object) => (event: H3Event) => {
  const body = JSON.stringify(document(getApp(event).config))
  const etag = `"${sha256(body).slice(0, 27)}"`
  setResponseHeaders(event, { 'content-type': type, 'cache-control': 'public, max-age=3600', etag })
  if (!matchesEtag(event.node.req, etag)) return body
  setResponseStatus(event, 304)
  return ''
}

/** Answer GET requests for the two documents, with an ETag. */
export const sendServerCard = send(CARD_TYPE, serverCard)
export const sendAiCatalog = send(CATALOG_TYPE, aiCatalog)
