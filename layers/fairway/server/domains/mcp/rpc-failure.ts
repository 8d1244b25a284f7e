/** A refusal before any method: an HTTP status and an error of JSON-RPC. */
export const rpcFailure = (status: number, code: number, message: string, id: unknown = null): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status })
