import type { BrowserContext } from 'playwright-core'

const EVERY_IN_MS = 50

/** Tells the name of each cookie that appears or changes; Chromium's contexts tell nothing themselves, so they are asked. */
export function watchCookies(opened: Promise<BrowserContext>, listener: (name: string) => void): () => void {
  const held: { hasEnded: boolean; timer?: ReturnType<typeof setTimeout>; known?: Map<string, string> } = {
    hasEnded: false,
  }
  const look = async () => {
    const cookies = await readCookies(await opened).catch(() => undefined)
    if (held.hasEnded) return
    const { known } = held
    held.known = cookies ?? known
    if (known && cookies) {
      for (const [key, value] of cookies) if (known.get(key) !== value) listener(key.split('\n')[0] ?? '')
    }
    held.timer = setTimeout(() => void look(), EVERY_IN_MS)
  }
  void look()
  return () => {
    held.hasEnded = true
    clearTimeout(held.timer)
  }
}

async function readCookies(context: BrowserContext): Promise<Map<string, string>> {
  const cookies = await context.cookies()
  return new Map(cookies.map(({ name, domain, path, value }) => [`${name}\n${domain}\n${path}`, value]))
}
