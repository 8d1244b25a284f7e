import { MCP_CATALOG_PATH } from '#fairway/shared/paths'
import { sendJson } from '../request/send-json'
import { readToolCatalog } from '../tools/tool-catalog'

/** The tools, resources and prompts that hosts see of this server. */
export function useToolCatalog() {
  const { run, error, result } = useRequest(async () => readToolCatalog(await sendJson(MCP_CATALOG_PATH)))
  return { catalog: result, error, load: () => run(undefined).catch(() => undefined) }
}
