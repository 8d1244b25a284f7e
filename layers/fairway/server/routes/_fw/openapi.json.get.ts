import { defineEventHandler } from 'h3'
import { catalog } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import { openApiDocument } from '#fairway/server/domains/actions'
import { collectionPaths } from '#fairway/server/domains/collections'
import { getApp } from '#fairway/server/kernel/app-context'

/** The description of every action and collection, for tools and for the palette of the application. */
export default defineEventHandler(event => {
  const app = getApp(event)
  return openApiDocument(app, catalog, () => collectionPaths(app, collections))
})
