/** The addresses in a text, each once, in the order they were written; commas, semicolons, spaces and lines separate them. */
export function toAddresses(text: string): string[] {
  const seen = new Map<string, string>()
  for (const part of text.split(/[\s,;]+/)) {
    // Mail programs copy addresses as “Ada <ada@example.test>”.
    const address = part.replaceAll(/^<|>$/g, '')
    const key = address.toLowerCase()
    if (address && !seen.has(key)) seen.set(key, address)
  }
  return [...seen.values()]
}
