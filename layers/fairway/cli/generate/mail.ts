// A mail: its declaration, and its texts in each language.
import { UsageFault } from '../terminal'
import { type Field, namesRow, parseFields, schemaHelpers } from './fields'
import { importOf, lines, quoted } from './layout'
import { checkName, toKebab, toSentence } from './names'
import { checkNoFiles, type Common, inputLines } from './pieces'
import { type GeneratePlan, languagesOf, planFiles } from './plan'

/** Plans a mail with a greeting; the author replaces its texts. */
export function planMail(
  root: string,
  {
    name: typedName,
    fields: typed,
    topic,
    force,
  }: Common & { name: string; fields: readonly string[]; topic?: string },
): GeneratePlan {
  checkName('mail', typedName)
  const name = toKebab(typedName)
  const fields = parseFields(typed)
  checkNoFiles(fields)
  const noJson = fields.find(({ type }) => namesRow({ type }) || type === 'datetime')
  if (noJson) throw new UsageFault(`${noJson.name}: give a mail what it shows. Make it a text.`)
  const path = `server/mails/${name}.tsx`
  const catalogs = languagesOf(root).map(
    language => [`app/locales/${language}/mails.json`, catalogText(language, name, topic)] as const,
  )
  return {
    ...planFiles(root, { files: new Map([[path, mailText(name, fields, topic)], ...catalogs]), force }),
    remarks: [],
    next: [
      'see it: /_fw/dev/mails',
      `send it in an action or a job: await sendMail(db, '${name}', { to: '…', data: {…} })`,
    ],
  }
}

function mailText(name: string, fields: readonly Field[], topic: string | undefined): string {
  const helpers = schemaHelpers(fields)
  const examples = fields.map(field => `${field.name}: ${exampleOf(field)}`)
  return lines(
    '/** @jsxImportSource vue */',
    fields.length > 0 && `import { z } from 'zod'`,
    importOf(['defineMail'], '#fw'),
    helpers.length > 0 && importOf(helpers, 'nuxt-fairway/tables'),
    '',
    'export default defineMail({',
    `  description: ${quoted(`${toSentence(name)}.`)},`,
    fields.length > 0 && `  data: z.object({\n${inputLines(fields).join('\n')}\n  }),`,
    `  example: {${examples.length > 0 ? ` ${examples.join(', ')} ` : ''}},`,
    `  href: () => '/',`,
    topic !== undefined && `  topic: ${quoted(toKebab(topic))},`,
    '})',
    '',
  )
}

const EXAMPLES: Partial<Record<Field['type'], string>> = {
  integer: '40',
  number: '40',
  money: '4000',
  boolean: 'true',
  date: `'2031-05-20'`,
  json: '{}',
  url: `'https://example.com/'`,
  email: `'ada@example.com'`,
  person: `'ada@example.com'`,
}
const exampleOf = ({ type, name, values }: Field): string =>
  EXAMPLES[type] ?? quoted((type === 'enum' && values[0]) || toSentence(name))

/** The texts of a mail. A catalog that exists already keeps its own. */
function catalogText(language: string, name: string, topic: string | undefined): string {
  const title = toSentence(name)
  const mails = { [name]: { subject: title, lines: [`${title}.`], action: OPEN[language] ?? OPEN.en } }
  const topics = topic !== undefined && { mailTopics: { names: { [toKebab(topic)]: toSentence(topic) } } }
  return `${JSON.stringify({ mails, ...topics }, null, 2)}\n`
}

const OPEN: Record<string, string> = { en: 'Open', de: 'Öffnen', ar: 'فتح' }
