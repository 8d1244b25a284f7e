// A file that was generated and then edited, with what the generator would write differently now.
import { applyPatch, structuredPatch } from 'diff'
import { importOf } from './layout'

interface Versions {
  /** The file as its author has it. */
  own: string
  /** As it was generated. */
  former: string
  /** As it would be generated now. */
  after: string
}

/** The author's file with the generator's changes put in; undefined where they meet lines that the author has edited, and without two versions to compare. */
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

/** Imports are sets of names: what either side has added to one is no conflict. */
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
