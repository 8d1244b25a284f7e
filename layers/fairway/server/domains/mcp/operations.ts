import { z } from 'zod'
import { catalog } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import { apps, prompts, resources } from '#fw/mcp'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { hostFileReader, listActions, searchableCollections } from '#fairway/server/domains/collections'
import { advertisesDocuments, findDocumentOutage } from '#fairway/server/domains/oauth-server'
import { MCP_PATH } from '#fairway/shared/paths'
import { toolCatalogSchema } from '#fairway/shared/schemas/tool-catalog'
import { toolCatalog } from './surface'

const actions = [...catalog, ...listActions(collections, catalog)]
const declared = { actions, resources, prompts, apps, readFile: hostFileReader(collections) }

export default defineOperations({
  'get-tool-catalog': operation({
    description: 'Lists the actions, resources, prompts and searchable collections of this server.',
    method: 'GET',
    path: '/_fw/mcp/catalog',
    openIn: ['view'],
    output: toolCatalogSchema,
    run: (_input, { app }) => ({
      ...toolCatalog(app, declared),
      collections: searchableCollections(app, collections),
    }),
  }),
  'get-mcp-endpoint': operation({
    description: 'Returns the address that MCP hosts connect to, and known problems with it.',
    method: 'GET',
    path: '/_fw/mcp/endpoint',
    openIn: ['view'],
    output: z.object({
      url: z.string(),
      hasStaticToken: z.boolean(),
      documents: z.object({
        /** Whether the metadata announces that hosts may present a metadata document. */
        isAdvertised: z.boolean(),
        /** Why fetching such documents failed within the past hour; null when it did not. */
        outage: z.object({ cause: z.enum(['unknown-name', 'unreachable', 'timeout']), failedAt: z.int() }).nullable(),
      }),
    }),
    async run(_input, { app }) {
      const { baseUrl, mcp } = app.config
      const hasStaticToken = mcp.staticTokenHashes.length > 0 && mcp.ownerEmail !== null
      const documents = { isAdvertised: await advertisesDocuments(app), outage: await findDocumentOutage(app) }
      return { url: baseUrl + MCP_PATH, hasStaticToken, documents }
    },
  }),
})
