/** The HTTP request that calls an operation. */
export interface OperationRequest<Method extends string = string> {
  method: Method
  path: string
  body?: Record<string, unknown>
}

/** Fields that the address names become part of it; the others are the query of GET, and the body of all other methods. */
export function operationRequest<Method extends string>(
  { method, path: template }: { method: Method; path: string },
  input: unknown,
): OperationRequest<Method> {
  const fields = new Map(Object.entries(input ?? {}).filter(([, value]) => value !== undefined))
  const path = template.replaceAll(/:(\w+)/g, (_, field: string) => {
    const value: unknown = fields.get(field)
    fields.delete(field)
    return encodeURIComponent(String(value))
  })
  const isInQuery = (field: string) => method === 'GET' || field === 'dryRun'
  const query = new URLSearchParams(
    [...fields].flatMap(([field, value]) => (isInQuery(field) ? [[field, String(value)]] : [])),
  )
  const body = Object.fromEntries([...fields].filter(([field]) => !isInQuery(field)))
  return {
    method,
    path: query.size > 0 ? `${path}?${query}` : path,
    ...(Object.keys(body).length > 0 ? { body } : {}),
  }
}
