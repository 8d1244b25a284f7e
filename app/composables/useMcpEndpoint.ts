import * as z from 'zod/mini'
import { MCP_ENDPOINT_PATH } from '#shared/paths'
import { sendJson } from '../request/send-json'

const endpointSchema = z.object({ url: z.string(), hasStaticToken: z.boolean() })

/** Where hosts connect to this server. */
export function useMcpEndpoint() {
  const { run, error, result } = useRequest(async () => endpointSchema.parse(await sendJson(MCP_ENDPOINT_PATH)))
  return { endpoint: result, error, load: () => run(undefined).catch(() => undefined) }
}
