import { getRouterParam } from 'h3'
import { catalog } from '#fw/collections'
import { requireItemFile } from '#fairway/server/domains/collections'
import { sendFile } from '#fairway/server/domains/files'
import { withPersonalToken } from '#fairway/server/domains/mcp'
import { decodedText } from '#fairway/server/kernel/declaration'
import { defineMethods } from '#fairway/server/kernel/http/methods'

/** The bytes of a file, for those who may read its item. */
export default defineMethods({
  openIn: ['view', 'api-token'],
  GET: event =>
    withPersonalToken(event, { scope: 'mcp:read' }, async tokenSession => {
      const [collection, row, file] = ['place', 'row', 'file'].map(
        name => decodedText(getRouterParam(event, name) ?? '') ?? '',
      ) as [string, string, string]
      const held = await requireItemFile(event, catalog, { collection, row, file }, tokenSession)
      return sendFile(event, held)
    }),
})
