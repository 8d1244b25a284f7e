import { defineEventHandler } from 'h3'
import { catalog } from '#fw/collections'
import { answerCollectionRequest } from '#fairway/server/domains/collections'

/** Every declared collection and its items; the build mounts it at their exact paths. */
export default defineEventHandler(event => answerCollectionRequest(event, catalog))
