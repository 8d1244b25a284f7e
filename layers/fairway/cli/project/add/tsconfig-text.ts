import { z } from 'zod'
import { parseJsonDocument } from '../../hosts/json-document'

const schema = z.looseObject({
  extends: z.unknown().optional(),
  references: z.array(z.looseObject({ path: z.string() })).default([]),
})

/** The tsconfig.json of an application with the projects that Nuxt generates; one of another kind stays, with a remark. */
export function withReferences(text: string | undefined, template: string, remarks: string[]): string {
  if (text === undefined) return template
  const { extends: base, references, ...rest } = schema.parse(parseJsonDocument(text).value)
  const wanted = schema.parse(JSON.parse(template)).references
  const missing = wanted.filter(({ path }) => !references.some(present => present.path === path))
  if (missing.length === 0) return text
  if (base !== undefined || /\/[/*]/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, ''))) {
    remarks.push(`tsconfig.json is yours and stays; \`npm run types\` wants these references in it:\n${template}`)
    return text
  }
  return `${JSON.stringify({ ...rest, references: [...references, ...missing] }, null, 2)}\n`
}
