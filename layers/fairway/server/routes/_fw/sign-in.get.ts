import { sendRedirect } from 'h3'
import { defineRoute } from '#fairway/server/kernel/http/methods'
import { requestQuery } from '#fairway/server/kernel/http/request-info'
import { SIGN_IN_PATH } from '#fairway/shared/paths'

/** The entry point of earlier versions and bookmarks; it redirects with the same query. */
export default defineRoute(['signed-out', 'setup'], event =>
  sendRedirect(event, SIGN_IN_PATH + requestQuery(event), 302),
)
