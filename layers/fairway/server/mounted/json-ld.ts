import { defineEventHandler } from 'h3'
import { catalog } from '#fw/collections'
import { answerDocumentRequest } from '#fairway/server/domains/collections'

/** Describes the collections to programs: contexts, documentation, entrypoint. */
export default defineEventHandler(event => answerDocumentRequest(event, catalog))
