// While a page for all visitors is rendered, its reads are recorded. The page is kept until one of them returns other rows, so a
// write of any process counts, and a write to other rows does not.
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { serialize } from 'node:v8'
import { sha256 } from '../crypto/hash'
import { noteOutside } from './rehearsal'

/** A read of the database: how to repeat it, and a digest of what it returned. */
interface Read {
  again(): Promise<unknown>
  digest: string
}

/** What a page has read so far. */
export interface FollowedReads {
  reads: Read[]
  /** The first thing that the page depends on and that cannot be followed; undefined while there is none. */
  unfollowed?: string
}

const requests = new AsyncLocalStorage<{ followed?: FollowedReads }>()

/**
 * Runs a request. What one reads that a page makes to this server while it is rendered belongs to the page. If it reads no rows,
 * nobody knows how long its answer holds: it may come from a cache or a file.
 */
export function withFollowing<T>(path: string, work: () => Promise<T>): Promise<T> {
  const page = followedReads()
  if (!page) return requests.run({}, work)
  const reads: FollowedReads = { reads: [] }
  return requests
    .run({ followed: reads }, async () => work())
    .finally(() => {
      page.reads.push(...reads.reads)
      page.unfollowed ??= reads.reads.length === 0 ? path : reads.unfollowed
    })
}

/** Records from now on what this request reads, until `endFollowing`. */
export function beginFollowing(): void {
  const request = requests.getStore()
  if (request) request.followed = { reads: [] }
}

/** Returns what this request has read since `beginFollowing`. */
export function endFollowing(): FollowedReads {
  const request = requests.getStore()
  const followed = request?.followed ?? { reads: [] }
  if (request) request.followed = undefined
  return followed
}

/** Returns what the current request has read; undefined unless it renders a page for all visitors. */
export const followedReads = (): FollowedReads | undefined => requests.getStore()?.followed

/** Notes that the page depends on something that may change without a trace in the database. */
export function noteUnfollowed(what: string): void {
  const followed = followedReads()
  if (followed) followed.unfollowed ??= what
}

/** Runs the database's own work: a connection to its server is none of the page. */
export const unfollowed = <T>(work: () => T): T => (followedReads() ? requests.run({}, work) : work())

/** Returns the result of a read, and records it for a page. `toRows` keeps the parts of the result that depend on the rows. */
export function followed<T>(read: () => Promise<T>, toRows: (found: T) => unknown = found => found): Promise<T> {
  const page = followedReads()
  if (!page) return read()
  return unfollowed(read).then(result => {
    recordRead(page, toRows(result), async () => toRows(await read()))
    return result
  })
}

/** Records rows that were read, and how to read them again. */
export function recordRead({ reads }: FollowedReads, rows: unknown, again: () => Promise<unknown>): void {
  reads.push({ again, digest: digestOf(rows) })
}

/** Returns whether every read would return the same rows as before. */
export const areUnchanged = async (reads: readonly Read[]): Promise<boolean> =>
  unfollowed(async () => {
    for (const { again, digest } of reads) if (digestOf(await again()) !== digest) return false
    return true
  })

const digestOf = (rows: unknown): string => sha256(serialize(rows))

function noteRequest(origin: string): void {
  noteUnfollowed(origin)
  noteOutside(origin)
}

/** Notices requests to other servers: those of `fetch`, and those of Node's own clients. */
export function followRequests(): void {
  subscribe('undici:request:create', message => {
    const { request } = message as { request: { origin?: unknown } }
    noteRequest(String(request.origin))
  })
  subscribe('http.client.request.start', message => {
    const { request } = message as { request: { protocol: string; host: string } }
    noteRequest(`${request.protocol}//${request.host}`)
  })
}
