import type { CollectionsConfig } from '#fairway/server/kernel/config/collections-config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Page } from '../collection'
import type { ViewLinks } from '../links'
import type { QueryTree } from '../query/query-tree'
import type { ServedCollection } from '../served-collection'
import type { Described } from './describe'
import { hal } from './hal'
import { jsonApi } from './json-api'
import { json, jsonLd } from './json-ld'

/** One way to write collections and their items. */
interface Representation extends Described {
  mediaType: string
  contentType: string
  writePage(served: ServedCollection, page: Page, links: ViewLinks): string
  writeItem(served: ServedCollection, item: unknown): string
  /** Converts the parameters of this format to those of the others. */
  readQuery?(query: QueryTree, config: CollectionsConfig): QueryTree
}

/** The formats of collections, the preferred one first. */
export const representations: readonly Representation[] = [jsonLd, json, jsonApi, hal]

/** The format that an `Accept` header requests (RFC 9110 §12.5.1). Throws `not-acceptable` with the supported formats. */
export function negotiate(accept: string | undefined): Representation {
  if (accept === undefined || accept.trim() === '' || accept === '*/*' || accept === jsonLd.mediaType) return jsonLd
  const ranges = accept.split(',').map(toRange)
  let best: Representation | undefined
  let bestQuality = 0
  for (const representation of representations) {
    const quality = qualityOf(representation.mediaType, ranges)
    if (quality > bestQuality) {
      best = representation
      bestQuality = quality
    }
  }
  if (best) return best
  const served = representations.map(({ mediaType }) => `"${mediaType}"`).join(', ')
  throw new AppError('not-acceptable', {
    detail: `Requested format "${accept.slice(0, 200)}" is not supported. Supported MIME types are ${served}.`,
    headers: { vary: 'Accept' },
  })
}

interface Range {
  type: string
  quality: number
}

function toRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
  const value = quality === undefined ? 1 : Number(quality)
  return { type, quality: Number.isFinite(value) ? value : 0 }
}

/** The quality of the most specific range that includes the type; 0 means refused. */
function qualityOf(mediaType: string, ranges: readonly Range[]): number {
  const group = `${mediaType.split('/', 1)[0]}/*`
  for (const wanted of [mediaType, group, '*/*']) {
    const range = ranges.find(({ type }) => type === wanted)
    if (range) return range.quality
  }
  return 0
}
