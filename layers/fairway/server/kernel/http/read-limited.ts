/** The text of an answer of another server; throws RangeError as soon as it has more than `maxBytes`. */
export async function readLimited(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length
    if (size > maxBytes) {
      await reader.cancel()
      throw new RangeError(`the answer has more than ${maxBytes} bytes`)
    }
    chunks.push(part.value)
  }
  return Buffer.concat(chunks, size).toString('utf8')
}
