// Updates a file that was generated and then edited, when the generator would write it differently today.
import { type Catalog, isCatalog } from '../../server/kernel/locale-files'
import { jsonOf } from '../../server/kernel/declaration'
import { importOf } from './layout'
import { mergeLines } from './merge-lines'

interface Versions {
  /** The file with the author's edits. */
  edited: string
  /** The file as it was generated. */
  former: string
  /** The file as it would be generated today. */
  after: string
}

/**
 * Merges the generator's changes into the author's file. Undefined when they conflict with edited lines, when one of the versions
 * is missing, or when the author has written one of the `added` fields already, so that it would be there twice.
 */
export function mergeGeneratedFile(
  { edited: written, former: was, after: next }: Pick<Versions, 'edited'> & Partial<Versions>,
  added: readonly string[] = [],
): string | undefined {
  if (was === undefined || next === undefined) return undefined
  const { edited, former, after } = withSameImports({ edited: written, former: was, after: next })
  const merged = mergeLines(edited, former, after)
  const isTwice =
    merged !== undefined && merged !== edited && added.some(name => isMoreOften(name, merged, [edited, after]))
  return isTwice ? undefined : merged
}

/** Whether a mention of the field, such as `draft.room` or `room:`, is in the merged file more often than in both versions. */
function isMoreOften(name: string, merged: string, versions: readonly string[]): boolean {
  const mention = new RegExp(String.raw`[\w.'-]*\b${name}\b['":]?`, 'g')
  const mentionsIn = (text: string) => (text.match(mention) ?? []).filter(each => each !== name)
  const count = (text: string, mentioned: string) => mentionsIn(text).filter(each => each === mentioned).length
  return mentionsIn(merged).some(each => count(merged, each) > Math.max(...versions.map(text => count(text, each))))
}

const IMPORT = /^import \{([^}]*)\} from '([^']+)'$/gm

const namesOf = (list: string): string[] => list.split(',').flatMap(name => name.trim() || [])

/** Imports are sets of names, so additions on both sides are not a conflict. */
function withSameImports({ edited, former, after }: Versions): Versions {
  const [formerly, now] = [former, after].map(
    text => new Map([...text.matchAll(IMPORT)].map(([, names = '', from = '']) => [from, namesOf(names)])),
  )
  const joined = new Map<string, string>()
  for (const [, names = '', from = ''] of edited.matchAll(IMPORT)) {
    const [was, is] = [formerly?.get(from), now?.get(from)]
    if (!was || !is) continue
    const added = is.filter(name => !was.includes(name))
    joined.set(from, importOf([...namesOf(names), ...added], from))
  }
  const replaced = (text: string) => text.replaceAll(IMPORT, (whole, _, from: string) => joined.get(from) ?? whole)
  return { edited: replaced(edited), former: replaced(former), after: replaced(after) }
}

/**
 * Merges the generator's texts into the author's catalog, key by key, so that no key is there twice and edits never conflict. What
 * the author has changed or deleted stays. Undefined when one of the versions is no catalog.
 */
export function grownCatalog({
  edited,
  former = '{}',
  after = '',
}: Pick<Versions, 'edited'> & Partial<Versions>): string | undefined {
  const [mine, was, is] = [edited, former, after].map(jsonOf)
  if (!isCatalog(mine) || !isCatalog(was) || !isCatalog(is)) return undefined
  const grown = grownTexts(mine, was, is)
  return JSON.stringify(grown) === JSON.stringify(mine) ? edited : `${JSON.stringify(grown, null, 2)}\n`
}

function grownTexts(edited: Catalog, was: Catalog, is: Catalog): Catalog {
  const grown = Object.entries(edited).map(([key, mine]): [string, unknown] => {
    const [before, after] = [was[key], is[key]]
    if (isCatalog(mine) && isCatalog(after)) return [key, grownTexts(mine, isCatalog(before) ? before : {}, after)]
    const isUnedited = after !== undefined && JSON.stringify(mine) === JSON.stringify(before)
    return [key, isUnedited ? after : mine]
  })
  const keys = Object.keys(is)
  for (const [at, key] of keys.entries()) {
    if (Object.hasOwn(edited, key) || Object.hasOwn(was, key)) continue
    // A new text has the same neighbor as in the generated catalog.
    const place = grown.findIndex(([name]) => name === keys[at - 1])
    grown.splice(place < 0 ? grown.length : place + 1, 0, [key, is[key]])
  }
  return Object.fromEntries(grown)
}
