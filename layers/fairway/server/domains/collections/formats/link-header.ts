import { COLLECTIONS_DOCUMENTATION_PATH } from '#fairway/shared/paths'
import type { ViewLinks } from '../query/view-links'

const API_DOCUMENTATION = 'http://www.w3.org/ns/hydra/core#apiDocumentation'

// Each link repeats the query; clients and proxies give up on headers of 8 KiB and more.
const MOST_CHARACTERS = 4096

/**
 * The `Link` header of an answer (RFC 8288): the pages around it, and where the collections are described.
 * After a very long query the pages stand in the body only.
 */
export function linkHeader({ self, first, last, previous, next }: Partial<ViewLinks>, iriPrefix: string): string {
  const pages =
    relation('self', self) +
    relation('first', first) +
    relation('last', last) +
    relation('prev', previous) +
    relation('next', next)
  const documentation = `<${iriPrefix}${COLLECTIONS_DOCUMENTATION_PATH}>; rel="${API_DOCUMENTATION}"`
  return pages.length > MOST_CHARACTERS ? documentation : pages + documentation
}

const relation = (name: string, target: string | undefined): string =>
  target === undefined ? '' : `<${target}>; rel="${name}", `
