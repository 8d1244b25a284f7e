import { OPENAPI_PATH } from '#fairway/shared/paths'
import { readActionCatalog } from '../palette/action-catalog'
import { sendJson } from '../request/send-json'

/** The declared actions of this server, from its OpenAPI document. */
export function useActionCatalog() {
  const { run, pending, error, result } = useRequest(async () => readActionCatalog(await sendJson(OPENAPI_PATH)))
  return { actions: result, pending, error, load: () => run(undefined).catch(() => undefined) }
}
