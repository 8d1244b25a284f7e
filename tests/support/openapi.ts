import Ajv2020 from 'ajv/dist/2020.js'
import { z } from 'zod'

const response = z.object({ $ref: z.string().optional(), content: z.record(z.string(), z.unknown()).optional() })
const operation = z.looseObject({ responses: z.record(z.string(), response) })
const documentSchema = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ responses: z.record(z.string(), response) }),
})

const escaped = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
const pointerTo = (...parts: string[]): string => `openapi#/${parts.map(escaped).join('/')}`

/** The OpenAPI document of a server, to check its responses against. */
export const readOpenApi = async (origin: string) => toOpenApi(await (await fetch(`${origin}/_fw/openapi.json`)).json())

/** An OpenAPI document, to check responses against. */
export function toOpenApi(document: Record<string, unknown>) {
  const { paths, components } = documentSchema.parse(document)
  // In strict mode, unknown keywords are errors.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false })
  ajv.addVocabulary(['openapi', 'info', 'servers', 'paths', 'components'])
  ajv.addSchema(document, 'openapi')

  const fits = (template: string, path: string) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
  const templateOf = (path: string): string =>
    path in paths ? path : (Object.keys(paths).find(template => fits(template, path)) ?? path)

  /** The place in the document that describes a response. Methods without an operation use the default response. */
  function descriptionOf(method: string, path: string, status: number): { at: string[]; types: string[] } | undefined {
    const template = templateOf(path)
    const operations = paths[template]
    if (!operations) return undefined
    const { responses } = operations[method.toLowerCase()] ?? { responses: components.responses }
    const key = responses[status] ? String(status) : 'default'
    const name = responses === components.responses ? 'default' : responses[key]?.$ref?.split('/').at(-1)
    const at = name ? ['components', 'responses', name] : ['paths', template, method.toLowerCase(), 'responses', key]
    const { content = {} } = (name ? components.responses[name] : responses[key]) ?? {}
    return { at, types: Object.keys(content) }
  }

  return {
    document,
    paths: Object.keys(paths),
    /** The description of one operation in the document. */
    described: (path: string, method: string): unknown => paths[path]?.[method.toLowerCase()],
    /** How a response deviates from the document; empty when it matches. */
    async faultsOf(method: string, path: string, answer: Response): Promise<string[]> {
      const [pathname = ''] = path.split('?')
      const description = descriptionOf(method, pathname, answer.status)
      const what = `${method} ${path}: ${answer.status}`
      if (!description) return [`${what} is not described`]
      const [type = ''] = (answer.headers.get('content-type') ?? '').split(';')
      const body = await answer.text()
      if (body === '' && description.types.length === 0) return []
      if (!description.types.includes(type)) return [`${what} ${type} is not described`]
      const validate = ajv.getSchema(pointerTo(...description.at, 'content', type, 'schema'))
      if (!validate) return [`${what} ${type} has no schema`]
      return validate(type.endsWith('/json') || type.endsWith('+json') ? JSON.parse(body) : body)
        ? []
        : [`${what} ${type}: ${ajv.errorsText(validate.errors)} in ${body.slice(0, 300)}`]
    },
  }
}
