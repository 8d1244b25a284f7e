// Reads the English of the documents and of the catalogs with textlint (`.textlintrc.json`): a check of `npm run check`.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createLinter, loadTextlintrc } from 'textlint'

const tracked = (...patterns) =>
  execFileSync('git', ['ls-files', '-z', '--', ...patterns], { encoding: 'utf8' })
    .split('\0')
    .filter(Boolean)

/** The texts of a catalog by their full keys, each on one line. */
function paragraphsOf(catalog, path = []) {
  if (typeof catalog !== 'object') return [[path.join('.'), String(catalog).replaceAll(/\s+/g, ' ')]]
  return Object.entries(catalog).flatMap(([key, value]) => paragraphsOf(value, [...path, key]))
}

const documents = tracked('*.md', ':!docs/internal').map(file => ({ file, text: readFileSync(file, 'utf8') }))
const catalogs = tracked('*/locales/en/*.json', '*/locales/en.json').map(file => {
  const paragraphs = paragraphsOf(JSON.parse(readFileSync(file, 'utf8')))
  return { file, keys: paragraphs.map(([key]) => key), text: paragraphs.map(([, text]) => text).join('\n\n') }
})
const sources = [...documents, ...catalogs]

const descriptor = await loadTextlintrc({ configFilePath: '.textlintrc.json' })
excludeAbsentWords(sources.map(({ text }) => text.toLowerCase()).join('\n'))

/** The rule compiles 2,000 patterns for each piece of text, which takes a minute, so it gets only words that occur. */
function excludeAbsentWords(text) {
  const words = readFileSync('node_modules/textlint-rule-stop-words/dict.txt', 'utf8')
    .split('\n')
    .map(line => line.split('>')[0].trim())
  const { options } = descriptor.toKernelOptions().rules.find(({ ruleId }) => ruleId === 'stop-words')
  options.exclude = [...options.exclude, ...words.filter(word => !text.includes(word.toLowerCase()))]
}

const linter = createLinter({ descriptor })
let found = 0
for (const { file, text, keys } of sources) {
  const { messages } = await linter.lintText(text, keys ? `${file}.md` : file)
  for (const { line, message } of messages) {
    found++
    console.log(`${file}:${keys ? ` ${keys[(line - 1) / 2]}` : line}: ${message.split('\n')[0]}`)
  }
}
if (found > 0) process.exit(1)
