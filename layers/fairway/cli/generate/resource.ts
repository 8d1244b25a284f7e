import { type Field, isFile, type RefTarget } from './fields'
import { checkName, pluralOf, toCamel, toKebab, toPascal, toSentence, toSnake } from './names'
import { UsageFault } from '../terminal'

interface ResourceInput {
  /** The noun in the singular, in any form. */
  name: string
  plural?: string
  fields: readonly Field[]
  /** Whether its rows belong to the organization, whose members share them. */
  isOrg: boolean
  /** Whether it supports the import of many rows at once. */
  hasImport?: boolean
  authorFields?: readonly string[]
}

/** A noun of the application with all names that its files require. */
export interface Resource {
  /** `issue`, in the names of actions. */
  kebab: string
  /** `issue-list`: the collection's name and path, because `/issues` is the page. */
  collection: string
  /** `issues`: its folders and the path of its pages. */
  plural: string
  /** `issues`, in code. */
  variable: string
  /** `issues`, in the database. */
  table: string
  /** `issue`, as a prefix of names in code. */
  camel: string
  /** `Issue`, as a prefix of component names. */
  pascal: string
  /** `issue` and `issues`, in sentences. */
  noun: string
  nouns: string
  fields: readonly Field[]
  /** The field that people identify a row by. */
  title: Field
  isOrg: boolean
  hasImport: boolean
  /** Names in the input that are no longer as generated. */
  authorFields: readonly string[]
}

/** Returns the fields of a resource that refer to others. */
export const refsOf = ({ fields }: Pick<Resource, 'fields'>): (Field & { target: RefTarget })[] =>
  fields.filter((field): field is Field & { target: RefTarget } => field.target !== undefined)

/** Returns the other resources that a resource refers to, each once. */
export const targetsOf = ({ fields, plural }: Pick<Resource, 'fields' | 'plural'>): RefTarget[] => {
  const targets = refsOf({ fields }).map(({ target }) => [target.plural, target] as const)
  return [...new Map(targets).values()].filter(target => target.plural !== plural)
}

// Names that the generated files import or declare.
const USED = new Set(
  'accessDenied accessOf accessibleTo alias and app boolean callerPlaceholders changes columnsFor definePolicy desc db eq expect id importInput importOutput importRows index input integer it jsonSchema list maria moneySchema now person personSchema real references requireCreate row rows session table test text tom uniqueIndex z'.split(
    ' ',
  ),
)

/** Returns the field that people identify a row by. */
export const titleOf = (fields: readonly Field[]): Field | undefined =>
  fields.find(({ type, isOptional }) => type === 'text' && !isOptional)

/** Checks the names of a resource and its fields, and returns all forms of them; throws a UsageFault. */
export function toResource({
  name,
  plural: given,
  fields,
  isOrg,
  hasImport = false,
  authorFields = [],
}: ResourceInput): Resource {
  checkName('resource', name)
  if (given !== undefined) checkName('plural', given)
  const plural = toKebab(given ?? pluralOf(name))
  const variable = toCamel(plural)
  if (USED.has(variable))
    throw new UsageFault(`The files of a resource use the name ${variable} themselves. Name another plural: --plural`)
  const title = titleOf(fields)
  if (!title)
    throw new UsageFault(
      `${toSentence(name)} needs a field that people know it by: a text that is always there, for example title:text.`,
    )
  return {
    kebab: toKebab(name),
    collection: `${toKebab(name)}-list`,
    plural,
    variable,
    table: toSnake(plural),
    camel: toCamel(name),
    pascal: toPascal(name),
    noun: toKebab(name).replaceAll('-', ' '),
    nouns: plural.replaceAll('-', ' '),
    fields,
    title,
    isOrg,
    hasImport,
    authorFields,
  }
}

const PICTURE = /(photo|picture|image|avatar|logo|portrait|poster|cover|thumbnail)s?$/i

/** Whether the field holds files that are pictures, by its name. */
export const isPicture = (field: Pick<Field, 'name' | 'type'>): boolean => isFile(field) && PICTURE.test(field.name)

/** The field with the first date or moment, which lists are sorted by. */
export const firstDate = ({ fields }: Pick<Resource, 'fields'>): Field | undefined =>
  fields.find(({ type }) => type === 'date' || type === 'datetime')

/** The field with the person behind a row, and the column with their address. An author's field of that name comes first. */
export function personOf({ isOrg, fields }: Resource): { field: string; column: string } {
  const [name, column] = isOrg ? ['creator', 'createdBy'] : ['owner', 'ownerEmail']
  return { field: fields.some(field => field.name === name) ? `${name}Person` : name, column }
}
