import { defineEventHandler } from 'h3'
import { catalog } from '#fw/actions'
import { openApiDocument } from '#server/domains/actions'
import { getApp } from '#server/foundation/app-context'

/** The description of every action, for tools and for the palette of the application. */
export default defineEventHandler(event => openApiDocument(getApp(event), catalog))
