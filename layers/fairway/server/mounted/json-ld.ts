import { catalog } from '#fw/collections'
import { answerDocumentRequest } from '#fairway/server/domains/collections'
import { defineRoute } from '#fairway/server/kernel/http/methods'

/** Describes the collections to programs: contexts, documentation, entrypoint. */
export default defineRoute(['signed-out', 'setup', 'view'], event => answerDocumentRequest(event, catalog))
