import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { ProfileName } from '../../fixtures/collections/profiles'
import { z } from 'zod'

const link = z.string().optional()
const viewSchema = z.object({
  '@id': z.string(),
  '@type': z.string(),
  first: link,
  last: link,
  previous: link,
  next: link,
})
const pageSchema = z.object({
  member: z.array(z.object({ id: z.number() }).catchall(z.unknown())),
  totalItems: z.number().optional(),
  view: viewSchema.optional(),
})

export type CollectionPage = z.infer<typeof pageSchema>
export type LinkName = 'first' | 'last' | 'previous' | 'next'

export interface CollectionFixture {
  origin: string
  /** The page at this path with its query; throws if the status is not 200. */
  page(path: string): Promise<CollectionPage>
  ids(path: string): Promise<number[]>
  request(path: string, headers?: Record<string, string>): Promise<Response>
  mutate(collection: string, change: { insert?: object[]; delete?: number[] }): Promise<void>
  reset(collection: string): Promise<void>
  /** The server's output to standard error. */
  errors(): string
  stop(): Promise<void>
}

/** Starts the fixture application on a free port, as `npm run fixture:collections` does. */
export async function startCollectionFixture(profile?: ProfileName): Promise<CollectionFixture> {
  const args = ['tests/fixtures/collections/main.mjs', '--port', '0', ...(profile ? ['--profile', profile] : [])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.on('data', chunk => (errors += String(chunk)))
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const origin = await readOrigin(createInterface(child.stdout), ended, () => errors)
  const request = (path: string, headers: Record<string, string> = {}) =>
    fetch(origin + path, { headers: { accept: 'application/ld+json', ...headers } })
  async function page(path: string): Promise<CollectionPage> {
    const answer = await request(path)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return pageSchema.parse(await answer.json())
  }
  return {
    origin,
    page,
    request,
    ids: async path => (await page(path)).member.map(({ id }) => id),
    mutate: (collection, change) => post(`${origin}/__fixture/mutate`, { collection, ...change }),
    reset: collection => post(`${origin}/__fixture/reset`, { collection }),
    errors: () => errors,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function readOrigin(lines: AsyncIterable<string>, ended: Promise<void>, errors: () => string): Promise<string> {
  const reading = (async () => {
    for await (const line of lines) {
      const [, origin] = /listen on (\S+)/.exec(line) ?? []
      if (origin) return origin
    }
    return undefined
  })()
  const origin = await reading
  if (origin) return origin
  await ended
  throw new Error(`the fixture application ended:\n${errors()}`)
}

async function post(url: string, body: object): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  if (answer.status !== 204) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
}

/** Follows one link from page to page to its end; `afterPage` can change rows in between. Throws if the walk does not end. */
export async function walk(
  fixture: CollectionFixture,
  path: string,
  follow: LinkName,
  { afterPage, limit = 200 }: { afterPage?: (count: number) => Promise<void>; limit?: number } = {},
): Promise<{ paths: string[]; pages: CollectionPage[]; ids: number[] }> {
  const paths: string[] = []
  const pages: CollectionPage[] = []
  for (let next: string | undefined = path; next !== undefined;) {
    if (pages.length === limit) throw new Error(`the walk from ${path} along ${follow} does not end`)
    const page: CollectionPage = await fixture.page(next)
    paths.push(next)
    pages.push(page)
    await afterPage?.(pages.length)
    next = page.view?.[follow]
  }
  return { paths, pages, ids: pages.flatMap(({ member }) => member.map(({ id }) => id)) }
}
