// Updates a file that was generated and then edited, when the generator would write it differently today.
import { applyPatch, structuredPatch } from 'diff'
import { importOf } from './layout'

interface Versions {
  /** The file with the author's edits. */
  own: string
  /** The file as it was generated. */
  former: string
  /** The file as it would be generated today. */
  after: string
}

/**
 * Merges the generator's changes into the author's file; undefined when they conflict with edited lines, or when one of the
 * versions is missing.
 */
export function grownFile({
  own: edited,
  former: was,
  after: next,
}: Pick<Versions, 'own'> & Partial<Versions>): string | undefined {
  if (was === undefined || next === undefined) return undefined
  const { own, former, after } = withSameImports({ own: edited, former: was, after: next })
  const patch = structuredPatch('', '', former, after, undefined, undefined, { context: 2 })
  const grown = applyPatch(own, patch)
  return grown === false ? undefined : grown
}

const IMPORT = /^import \{([^}]*)\} from '([^']+)'$/gm

const namesOf = (list: string): string[] => list.split(',').flatMap(name => name.trim() || [])

/** Imports are sets of names, so additions on both sides are not a conflict. */
function withSameImports({ own, former, after }: Versions): Versions {
  const [formerly, now] = [former, after].map(
    text => new Map([...text.matchAll(IMPORT)].map(([, names = '', from = '']) => [from, namesOf(names)])),
  )
  const joined = new Map<string, string>()
  for (const [, names = '', from = ''] of own.matchAll(IMPORT)) {
    const [was, is] = [formerly?.get(from), now?.get(from)]
    if (!was || !is) continue
    const added = is.filter(name => !was.includes(name))
    joined.set(from, importOf([...namesOf(names), ...added], from))
  }
  const replaced = (text: string) => text.replaceAll(IMPORT, (whole, _, from: string) => joined.get(from) ?? whole)
  return { own: replaced(own), former: replaced(former), after: replaced(after) }
}
