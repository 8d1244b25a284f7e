// Writes the code of the guides to files, so that the type check reads it too: `server` and `app` below
// `.nuxt/snippets`, where the framework’s own types are. Each block must be complete;
// a comment below it can add the code that its reader knows already:
//   <!-- check: page\nconst section = 'profile'\n-->      lines before it, of a page (`page`) or of the server (nothing)
//   <!-- check\nexport default defineAction({\n@here\n})\n-->      the same on both sides
//   <!-- no-check: why -->
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sampleDir } from './sample.mjs'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')
const BLOCK =
  /^```(tsx?|vue)(?: \[([^\n]+)\])?\n(.*?)^```$(?:\n+<!-- (check|no-check)(?::[ ]?([^\n]*?))?(?:\n(.*?))? ?-->)?/gms
const PAGE =
  /\buse(Action|Collection|Item|I18n|Session|Draft|EmbedAction|ListSearch|CreateShortcut|Route)\(|#fw\/client/

const withoutComments = code => code.replaceAll(/(?<!:)\/\/.*$/gm, '')
const isOfPage = code => PAGE.test(withoutComments(code))

/** Returns every checked block of a document: `{ name, area, path, text }`; throws for an excluded block without a reason. */
export function snippetsOf(document, text) {
  const doc = document.replaceAll(/^docs\/(guides\/)?|\.md$/g, '').replaceAll('/', '-')
  const found = [...text.matchAll(BLOCK)].map(([, language, title, code, mark, said = '', around = ''], index) => {
    if (mark === 'no-check' && !said)
      throw new Error(`${document}: block ${index + 1} is not checked and does not say why.`)
    const [, named] = /^(?:\/\/|<!--) ([\w./[\]-]+\.(?:tsx?|vue))\b/.exec(code) ?? []
    const isPage = language === 'vue' || said === 'page' || isOfPage(code)
    return {
      isChecked: mark !== 'no-check',
      area: isPage ? 'app' : 'server',
      path: title ?? named ?? `server/snippets/${doc}-${index + 1}.ts`,
      doc,
      name: `${doc}-${index + 1}.${language}`,
      text: language === 'vue' ? component(code, around) : wrapped(code, around),
    }
  })
  return found.filter(({ isChecked }) => isChecked)
}

/** The usual imports of authors, by package; blocks of the guides omit them. */
const KNOWN = {
  zod: ['z'],
  'drizzle-orm': ['and', 'eq'],
  'drizzle-orm/sqlite-core': ['index', 'integer', 'sqliteTable', 'text', 'uniqueIndex'],
  '#fw':
    `accessibleTo AppError defineAction defineCollection ownedBy outputOf shownPersonSchema withPeople requireOrganization requireOrgRole useFairway defineFwConfig defineMcpApp defineMcpPrompt defineMcpResource newId
    TraversablePaginator`.split(/\s+/),
  '~~/server/database/notes': ['notes'],
}

function withKnownNames(code) {
  const isFree = (name, code) =>
    new RegExp(`(?<![\\w.'"/-])${name}\\b(?!['"/:-])`).test(code) &&
    !new RegExp(
      `(const|function) ${name}\\b|import [^\\n]*\\b${name}\\b|[({,] ?${name}[,: })]+.*=>|\\b${name} of\\b`,
    ).test(code)
  const lines = Object.entries(KNOWN).flatMap(([from, names]) => {
    const free = names.filter(name => isFree(name, withoutComments(code)))
    return free.length > 0 ? [`import { ${free.join(', ')} } from '${from}'`] : []
  })
  return [...lines, code].join('\n')
}

function wrapped(code, around) {
  const own = around.includes('@here') ? around.replace('@here', () => code) : `${around}\n${code}`.trimStart()
  const whole = isOfPage(code) ? own : withKnownNames(own)
  // Makes each file a module.
  return /^(import|export) /m.test(whole) ? whole : `${whole}\nexport {}\n`
}

/** Wraps bare elements in the template of a component; the comment's code becomes its script. */
function component(code, around) {
  if (/<(script|template)[ >]/.test(code) && !/^<[A-Z]/m.test(code)) return code
  return `<script setup lang="ts">\n${around.trim()}\n</script>\n\n<template>\n<div>\n${code}\n</div>\n</template>\n`
}

/** Resolves relative imports of a snippet to another snippet, or to the sample. */
function withImports({ text, path, name, doc, area }, out, all) {
  return text.replaceAll(/^import \{ ([^}]+) \} from '(\.{1,2}\/[^']+)'$/gm, (line, names, target) => {
    // Names that the comment below the block declares need no import.
    if (names.split(', ').every(each => new RegExp(`const ${each}\\b`).test(text))) return ''
    const wanted = join(dirname(path), target)
    const others = all.filter(each => each.path === `${wanted}.ts` && each.name !== name)
    const near = others.find(each => each.doc === doc)
    const own = [`${wanted}.ts`, `${wanted}.vue`, wanted]
      .map(end => join(sampleDir, end))
      .find(file => existsSync(file))
    const snippet = near ?? (own ? undefined : others[0])
    if (!snippet && !own)
      throw new Error(`The snippet ${name} imports ${wanted}, which is in no snippet and not in the sample.`)
    const file = snippet ? join(out, snippet.area, snippet.name) : own
    return `import { ${names} } from '${relative(join(out, area), file)
      .replace(/\.ts$/, '')
      .replace(/^(?!\.)/, './')}'`
  })
}

/** Writes the checked blocks of all guides and of the README, and returns their number. */
export function writeSnippets(out = join(sampleDir, '.nuxt/snippets')) {
  rmSync(out, { recursive: true, force: true })
  const all = globSync(['docs/{concepts,guides,recipes}/*.md', 'docs/reference/collections.md', 'README.md'], {
    cwd: root,
  })
    .toSorted()
    .flatMap(path => snippetsOf(path, readFileSync(join(root, path), 'utf8')))
  for (const snippet of all) {
    const folder = join(out, snippet.area)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, snippet.name), withImports(snippet, out, all))
  }
  return all.length
}
