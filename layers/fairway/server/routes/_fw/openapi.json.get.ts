import { catalog } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import { operations } from '#fw/operations'
import { openApiDocument, operationPaths } from '#fairway/server/domains/actions'
import { collectionPaths } from '#fairway/server/domains/collections'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineRoute } from '#fairway/server/kernel/http/methods'

/** The description of every action, collection and operation, for tools and for the palette of the application. */
export default defineRoute(['signed-out', 'setup', 'view'], async event => {
  const app = getApp(event)
  const ofOperations = await operationPaths(
    app,
    operations,
    catalog.map(({ name }) => name),
  )
  return openApiDocument(app, catalog, () => {
    const { paths, schemas } = collectionPaths(app, collections)
    return { paths: { ...paths, ...ofOperations }, schemas }
  })
})
