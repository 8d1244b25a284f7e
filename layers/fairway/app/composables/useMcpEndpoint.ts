import * as z from 'zod/mini'
import { MCP_ENDPOINT_PATH } from '#fairway/shared/paths'
import { sendJson } from '../request/send-json'

const endpointSchema = z.object({
  url: z.string(),
  hasStaticToken: z.boolean(),
  documents: z.object({
    /** Whether hosts are told that they may show a metadata document. */
    isAdvertised: z.boolean(),
    /** Why such documents could not be fetched within the hour. */
    outage: z.nullable(z.object({ cause: z.enum(['unknown-name', 'unreachable', 'timeout']) })),
  }),
})

/** Where hosts connect to this server. */
export function useMcpEndpoint() {
  const { run, error, result } = useRequest(async () => endpointSchema.parse(await sendJson(MCP_ENDPOINT_PATH)))
  return { endpoint: result, error, load: () => run(undefined).catch(() => undefined) }
}
