// Generates the pages of docs/reference from the public names and comments in the code.
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { componentOf, exportedNames, findExport, sentencesOf, signatureOf, typesNamed } from './declarations.mjs'

const byLetters = ([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)
const head = (title, lead, order) =>
  `---\norder: ${order}\n---\n\n# ${title}\n\n${lead} Written by \`npm run docs\`; do not edit.\n`
const flag = stability => (stability === 'experimental' ? '\n<Badge type="warning" text="experimental" />\n' : '')
const cell = text =>
  text
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('<', '&lt;')
const code = text =>
  text
    ? `\`\`${text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')}\`\``.replace(/^``(.*)``$/s, (_, content) =>
        content.includes('`') ? `\`\` ${content} \`\`` : `\`${content}\``,
      )
    : ''

/** Returns one public name: its heading, stability, sentences and signature. */
function entry(name, stability, declared, missing) {
  const sentence = sentencesOf(declared.node) || sentencesOf(declared.declaration)
  if (!sentence) missing.push(`${name} (${basename(declared.path)})`)
  const signature = signatureOf(declared)
  const written = signature ? `\n\`\`\`ts\n${signature}\n\`\`\`\n` : ''
  return `\n## ${name}\n${flag(stability)}\n${prose(sentence)}\n${written}`
}

/** Returns a sentence of the source as Markdown, with escaped elements. */
const prose = text =>
  text.replaceAll(/`[^`]*`|[<{]/g, part => (part.startsWith('`') ? part : part === '<' ? '&lt;' : '&#123;'))

/** The public names of one entry of the package. */
export function namesPage({ title, lead, order, file, names, platform }, missing) {
  const entries = Object.entries(names).toSorted(byLetters)
  const declared = entries.map(([name]) => findExport(file, name, platform))
  const text = entries.map(([name, stability], at) => entry(name, stability, declared[at], missing))
  return head(title, lead, order) + text.join('') + typesText(declared, new Set(Object.keys(names)), platform)
}

/** The types that signatures of a page name and that have no entry of their own. */
function typesText(declared, known, platform) {
  const types = new Map()
  const follow = (each, depth) => {
    for (const [name, found] of typesNamed(each, platform)) {
      if (known.has(name) || types.has(name)) continue
      const signature = signatureOf(found)
      if (!signature) continue
      types.set(name, signature)
      if (depth > 0) follow(found, depth - 1)
    }
  }
  for (const each of declared) follow(each, 1)
  if (types.size === 0) return ''
  const written = [...types].toSorted(byLetters).map(([, signature]) => `\n\`\`\`ts\n${signature}\n\`\`\`\n`)
  return `\n## Types in these signatures\n\nThey have no name to import; the signatures above use them.\n${written.join('')}`
}

/** The names that pages can use without an import. */
export function composablesPage({ names, platform, order }, missing) {
  const places = new Map(
    globSync('app/{composables,utils}/*.ts', { cwd: platform }).flatMap(path =>
      exportedNames(join(platform, path)).map(name => [name, join(platform, path)]),
    ),
  )
  const text = Object.entries(names)
    .toSorted(byLetters)
    .flatMap(([name, stability]) => {
      const place = places.get(name)
      return [entry(name, stability, findExport(place, name, platform), missing)]
    })
  return (
    head('Composables', 'What pages and components of an application have without an import.', order) + text.join('')
  )
}

const partsTable = (title, parts) => {
  if (parts.length === 0) return ''
  const rows = parts.map(({ name, type, isOptional, sentence }) => {
    const shown = name.replace(/^`(.*)\$\{string\}`$/, '$1…').replaceAll("'", '')
    return `| \`${shown}\`${isOptional || title === 'Events' ? '' : ' (required)'} | ${code(type)} | ${cell(sentence)} |\n`
  })
  return `\n| ${title} | | |\n|---|---|---|\n${rows.join('')}`
}

/** The components that pages can use without an import, each with its props, models, events and slots. */
export function componentsPage({ names, platform, order }, missing) {
  const places = new Map(
    globSync('app/components/**/*.vue', { cwd: platform }).map(path => [basename(path, '.vue'), path]),
  )
  const text = Object.entries(names)
    .toSorted(byLetters)
    .map(([name, stability]) => {
      const { sentence, props, models, events, slots } = componentOf(join(platform, places.get(name)))
      if (!sentence) missing.push(`${name}.vue`)
      const slotRows = slots.map(slot => ({ ...slot, isOptional: true, type: '' }))
      const tables = [
        partsTable('Props', props),
        partsTable('Models', models),
        partsTable('Events', events),
        partsTable('Slots', slotRows),
      ]
      return `\n## ${name}\n${flag(stability)}\n${prose(sentence)}\n${tables.join('')}`
    })
  const lead =
    'What pages of an application have without an import, also as `Lazy…`; a component of the same name in an application replaces it. Pictures and examples: [components for accounts and organizations](../guides/components.md).'
  return head('Components', lead, order) + text.join('')
}

/** Every error code of a response, with its status and its text for people. */
export function errorsPage({ catalog, fieldErrors, order }) {
  const rows = Object.entries(catalog)
    .toSorted(([a, one], [b, two]) => one.status - two.status || (a < b ? -1 : 1))
    .map(([name, { status, title, asks, unset }]) => {
      const note = asks ? 'requires `confirm`' : unset ? 'until a setting is there' : ''
      return `| ${status} | \`${name}\` | ${cell(title)} | ${note} |\n`
    })
  const lead =
    'Every failure is answered by a problem document (RFC 9457) with `code`, `title`, `detail` and `requestId`, under the status of its code. An action refuses with `new AppError(code)`; the texts are in `errors.json` of every [language](../guides/languages.md).'
  const statuses = `| Status | Code | What people read | |\n|---|---|---|---|\n${rows.join('')}`
  return `${head('Error codes', lead, order)}\n${statuses}\n${fieldErrorsSection(fieldErrors)}`
}

const FIELD_ERRORS = `## Field errors

\`invalid-input\` lists what is wrong in \`errors\`, one entry per fault:

\`\`\`json
{ "path": "title", "code": "too-long", "params": { "most": 200 }, "message": "Use at most 200 characters." }
\`\`\`

- \`path\` names the field, with dots between levels (\`list.0.name\`). It is empty for the input as a whole.
- \`code\` and \`params\` are stable. Placeholders in the table are parameters.
- \`message\` is English. Pages show the text of the code in their own language, from \`field-errors.json\` of every [language](../guides/languages.md). No message repeats the value.
- A message of the schema, such as \`z.string().min(1, 'Enter a name.')\`, is sent and shown as it is. It has no \`code\`.

`

/** The errors of one field, with the text for many. */
function fieldErrorsSection(texts) {
  const rows = Object.entries(texts).map(([code, text]) => `| \`${code}\` | ${cell(text.split(' | ').at(-1))} |\n`)
  return `${FIELD_ERRORS}| Code | Message |\n|---|---|\n${rows.join('')}`
}

const PERIODS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]

function limitText({ max, per, window }) {
  const [seconds, unit] = PERIODS.find(([length]) => window % length === 0) ?? [1, 'second']
  const count = window / seconds
  return `${max} per ${per} and ${count === 1 ? unit : `${count} ${unit}s`}`
}

/** Returns the required rights for an operation: the smallest role of the organization, or operator. */
const needed = ({ permission, recentSignIn }, permissions) =>
  [permission === 'operator' ? 'operator' : permissions[permission]?.at(-1), recentSignIn && 'recent sign-in']
    .filter(Boolean)
    .join(', ')

/** Every operation of the platform by domain: its path, its required rights, its limit, and whether it is audited. */
export function endpointsPage({ operations, limits, permissions, order }) {
  const sections = [...Map.groupBy(operations, ({ domain }) => domain)].toSorted(byLetters).map(([domain, those]) => {
    const rows = those
      .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
      .map(({ name, method, path, isAudited, about }) => {
        const request = code(`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
        const limit = about.limit ? limitText(limits[about.limit]) : ''
        return `| ${request} | \`${name}\` | ${cell(about.description)} | ${needed(about, permissions)} | ${limit} | ${isAudited ? 'yes' : ''} |\n`
      })
    return `\n## ${domain}\n\n| Request | Name | What it does | Requires | Limit | Audited |\n|---|---|---|---|---|---|\n${rows.join('')}`
  })
  const lead =
    'What a signed-in person does with the platform. Every request requires a session: the cookie of the browser. A role is that of the active organization, `recent sign-in` one of the last 15 minutes, and a limit counts the calls of one person. `GET /_fw/openapi.json` describes bodies and answers. Audited calls leave a row in the audit log and the event `audit.<name>` for [webhooks](../guides/webhooks.md).'
  return head('Endpoints', lead, order) + sections.join('')
}

const resolved = value => (typeof value === 'function' ? value() : value)

/** Every command of `fw` with its arguments. */
export async function commandsPage({ program, names, order }) {
  const sections = []
  const add = async (command, words) => {
    const { meta, args, subCommands } = command
    const { description = '' } = (await resolved(meta)) ?? {}
    const options = Object.entries((await resolved(args)) ?? {})
    const below = Object.entries((await resolved(subCommands)) ?? {})
    const stability = words.length === 1 ? names[words[0]] : undefined
    if (words.length > 0)
      sections.push(
        `\n${words.length === 1 ? '##' : '###'} fw ${words.join(' ')}\n${flag(stability)}\n${prose(description)}\n${optionsTable(options)}`,
      )
    for (const [name, each] of below.toSorted(byLetters)) await addVisible(await resolved(each), [...words, name])
  }
  const addVisible = async (command, words) => {
    if (!(await resolved(command.meta))?.hidden) await add(command, words)
  }
  await add(program, [])
  return (
    head(
      'The command line',
      '`npx fw <command>` in the folder of an application; `npx nuxt-fairway <command>` outside one. `fw help <command>` says the same.',
      order,
    ) +
    COMMAND_LINE +
    sections.join('')
  )
}

const COMMAND_LINE = `
An unknown command or option is refused with the closest name: \`fw doctor --onli mail\` says “Did you mean --only?”.

| exit code | result |
|---|---|
| 0 | success |
| 1 | the command failed, or a check found a fault |
| 2 | wrong usage: an unknown command, option or value, or a missing one. Nothing was changed |

\`fw --version\` prints the version. To complete commands, options and names of actions, add a line to your shell:

\`\`\`sh
alias fw="npx fw"              # unless fw is on your PATH
source <(fw completion bash)   # in ~/.bashrc
source <(fw completion zsh)    # in ~/.zshrc, after compinit
fw completion fish | source    # in ~/.config/fish/config.fish
\`\`\`
`

function optionsTable(options) {
  if (options.length === 0) return ''
  const rows = options.map(([name, { type, description = '', negativeDescription, default: value, alias }]) => {
    const shown =
      type === 'positional' ? `<${name}>` : `--${value === true ? 'no-' : ''}${name}${type === 'boolean' ? '' : ' …'}`
    const short = [alias ?? []]
      .flat()
      .map(each => `, \`-${each}\``)
      .join('')
    const usual = value === undefined || typeof value === 'boolean' ? '' : ` Otherwise \`${value}\`.`
    return `| \`${shown}\`${short} | ${cell((value === true && negativeDescription) || description)}${usual} |\n`
  })
  return `\n| Option | |\n|---|---|\n${rows.join('')}`
}
