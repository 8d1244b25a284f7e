// A job: work beside requests.
import { scheduleFault } from '../../server/kernel/jobs/cron'
import { UsageFault } from '../terminal'
import { type Field, fieldText, parseFields, schemaHelpers } from './fields'
import { importOf, lines, quoted } from './layout'
import { checkName, toKebab, toSentence } from './names'
import { checkNoFiles, type Common, inputLines, planOf } from './pieces'
import type { GeneratePlan } from './plan'

/** Plans a job that logs its input; the author replaces its work. */
export function planJob(
  root: string,
  {
    name: typedName,
    fields: typed,
    schedule,
    force,
  }: Common & { name: string; fields: readonly string[]; schedule?: string },
): GeneratePlan {
  checkName('job', typedName)
  const name = toKebab(typedName)
  const fault = schedule === undefined ? undefined : scheduleFault({ cron: schedule, timeZone: 'UTC' })
  if (fault !== undefined) throw new UsageFault(`--schedule: ${fault}`)
  const fields = parseFields(typed)
  checkNoFiles(fields)
  const noJson = fields.find(({ type }) => type === 'ref' || type === 'datetime')
  if (noJson) throw new UsageFault(`${noJson.name}: a job keeps its input as JSON. Make it a text.`)
  const needed = schedule === undefined ? undefined : fields.find(({ isOptional }) => !isOptional)
  if (needed) throw new UsageFault(`${needed.name}: a schedule gives no input. Make it optional: ${fieldText(needed)}?`)
  const path = `server/jobs/${name}.ts`
  return planOf(root, new Map([[path, jobText(name, fields, schedule)]]), {
    force,
    next: [
      `say in ${path} what it does, and do it`,
      `run it now: npx fw jobs run ${name}`,
      ...(schedule === undefined ? [`queue it in an action: await enqueue(db, '${name}', input)`] : []),
    ],
  })
}

function jobText(name: string, fields: readonly Field[], schedule: string | undefined): string {
  const input = inputLines(fields)
  const helpers = schemaHelpers(fields)
  return lines(
    fields.length > 0 && `import { z } from 'zod'`,
    importOf(['defineJob'], '#fw'),
    helpers.length > 0 && importOf(helpers, 'nuxt-fairway/tables'),
    '',
    'export default defineJob({',
    `  description: ${quoted(`${toSentence(name)}.`)},`,
    fields.length > 0 && `  input: z.object({\n${input.join('\n')}\n  }),`,
    schedule !== undefined && `  schedule: ${quoted(schedule)},`,
    '  run(input, { id, log }) {',
    `    log.info(${quoted(name)}, { id, input })`,
    '  },',
    '})',
    '',
  )
}
