import { z } from 'zod'
import { AppError } from '../server/kernel/http/app-error'
import { errorCatalog, type ErrorCode } from '../shared/errors'
import { isRecord } from '../shared/record'

/** Parameters of a collection as they stand in its address, for example `{ status: 'open', itemsPerPage: 10 }`. */
export type ListQuery = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** One page of a collection. */
export interface ListPage<Item> {
  items: (Item & { '@id': string; '@type': string })[]
  /** Not there in collections that do not count. */
  totalItems?: number
  /** The addresses of the pages around, by their name: `next`, `previous`, `first`, `last`. */
  links: Readonly<Record<string, string>>
}

/** How a page is asked for. */
export const AS_JSON_LD = { headers: { accept: 'application/ld+json' } }

/** The address of a page. */
export function listPath(name: string, query: ListQuery = {}): string {
  const parameters = Object.entries(query).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map(one => [key, String(one)]),
  )
  return `/${name}?${new URLSearchParams(parameters)}`
}

const linkedItem = z.looseObject({ '@id': z.string(), '@type': z.string() })
const viewSchema = z.record(z.string(), z.string())
const pageSchema = z.object({
  member: z.array(linkedItem),
  totalItems: z.number().optional(),
  view: viewSchema.optional(),
})
const problemSchema = z.object({ code: z.string(), detail: z.string().optional() })

/** The page of an answer; throws the error that the answer says. */
export async function readPage(answer: Response): Promise<ListPage<unknown>> {
  const body: unknown = await answer.json()
  if (!answer.ok) {
    const { code, detail } = problemSchema.parse(body)
    throw new AppError(isCode(code) ? code : 'internal', { detail })
  }
  const { member, totalItems, view = {} } = pageSchema.parse(withoutPrefix(body))
  const links = Object.fromEntries(Object.entries(view).filter(([key]) => !key.startsWith('@')))
  return { items: member, totalItems, links }
}

const isCode = (code: string): code is ErrorCode => code in errorCatalog

/** The keys of Hydra as they are without their prefix, which a setting writes. */
const withoutPrefix = (value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [
          key.replace(/^hydra:/, ''),
          key === 'hydra:view' ? withoutPrefix(inner) : inner,
        ]),
      )
    : value
