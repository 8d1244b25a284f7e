/** One block of an answer as MCP hosts show it; `data` and `blob` are base64. */
export type McpBlock =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; description?: string; mimeType?: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: string }) }

// Beside the result, not in it: other surfaces see the result alone.
const blocks = new WeakMap<object, readonly McpBlock[]>()

/** The result of an action, which MCP hosts show as these blocks; every other surface sees `result`, an empty object when there is none. */
export function mcpContent<T extends object = Record<string, never>>(
  content: readonly McpBlock[],
  result: T = {} as T,
): T {
  blocks.set(result, content)
  return result
}

/** The blocks that belong to a result, or undefined. */
export const findMcpContent = (result: unknown): readonly McpBlock[] | undefined =>
  typeof result === 'object' && result !== null ? blocks.get(result) : undefined

/** Lets a result that was parsed anew keep the blocks of the first one. */
export function keepMcpContent(from: unknown, to: unknown): void {
  const content = findMcpContent(from)
  if (content && typeof to === 'object' && to !== null) blocks.set(to, content)
}
