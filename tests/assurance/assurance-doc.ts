import { requirements } from './asvs'
import { chapters } from './asvs-ids'
import { promises } from './promises'
import { type Answer, readReference, type Requirement } from './requirement'
import { levelA, levelAA } from './wcag'

const HEAD = `# Assurance

Find the evidence for each requirement of the OWASP Application Security Verification Standard 5.0.0 (ASVS), levels 1 and 2. The numbers are from the standard. The sentences are ours and shorter.

\`npm run docs\` writes this page from the tables in \`tests/assurance\`. A test checks that every number appears once, that every named test exists and runs, and that this page is up to date.

- **tested**: tests fail without it. **tested, with a gap**: tests cover it, except what follows “but”.
- **documented**: the requirement is a document, and this is it.
- **by design**: it follows from how Fairway is built. No separate test covers it.
- **of the operator**: you provide it when you run an installation.
- **does not apply**: Fairway has no such feature.
- **not met**: Fairway does not do this yet.
`

const KINDS = [
  'tested',
  'tested, with a gap',
  'documented',
  'by design',
  'of the operator',
  'does not apply',
  'not met',
]

/** The text of docs/internal/assurance.md: each requirement with the evidence for it. */
export function assuranceDoc(): string {
  const parts = Object.entries(requirements).map(([number, rows]) => chapterPart(Number(number), rows))
  return [HEAD, summary(), openPoints(), ...parts, promisesPart()].join('\n')
}

const ACCESSIBILITY_HEAD = `# Accessibility

Find the evidence for each criterion of the Web Content Accessibility Guidelines 2.2, levels A and AA. The numbers are from the standard. The sentences are ours and shorter.

\`npm run docs\` writes this page from \`tests/assurance/wcag.ts\`. A test checks that each of the 55 criteria appears once, and that every named test exists and runs. The browser tests run axe with all its rules in light and dark, and check that nothing is cut off at 200 %.

Fairway's components meet these criteria. You are responsible for the texts, pictures and pages that you add.
`

/** The text of docs/internal/accessibility.md: each criterion of WCAG 2.2, levels A and AA, with the evidence for it. */
export const accessibilityDoc = (): string =>
  [
    ACCESSIBILITY_HEAD,
    ...[levelA, levelAA].map((rows, index) => {
      const lines = rows.map(({ id, asks, answer }) => tableRow([id, text(asks), kindOf(answer), behind(answer)]))
      const heads = ['criterion', 'requirement', 'answer', 'evidence']
      return `## Level ${index === 0 ? 'A' : 'AA'}\n\n${table(heads, lines)}`
    }),
  ].join('\n')

function summary(): string {
  const lines = Object.entries(requirements).map(([number, rows]) => {
    const counts = KINDS.map(kind => rows.filter(({ answer }) => kindOf(answer) === kind).length || '')
    return tableRow([titleOf(Number(number)), ...counts])
  })
  return `## In numbers\n\n${table(['chapter', ...KINDS], lines)}`
}

function openPoints(): string {
  const all = Object.values(requirements).flat()
  const lines = all.filter(({ answer }) => answer.kind === 'not met' || gapOf(answer)).map(openPoint)
  return `## What is missing\n\n${lines.join('\n')}\n`
}

const openPoint = ({ id, asks, answer }: Requirement): string =>
  `- ${id} ${text(asks)} ${answer.kind === 'not met' ? `**Not met:** ${text(answer.reason)}` : text(gapOf(answer) ?? '')}`

function chapterPart(number: number, rows: readonly Requirement[]): string {
  const first = new Set(chapters[number]?.level1.split(' '))
  const lines = rows.map(({ id, asks, answer }) =>
    tableRow([id, first.has(id) ? 1 : 2, text(asks), kindOf(answer), behind(answer)]),
  )
  return `## ${titleOf(number)}\n\n${table(['number', 'level', 'requirement', 'answer', 'evidence'], lines)}`
}

function promisesPart(): string {
  const lines = Object.entries(promises).map(([promise, tests]) =>
    tableRow([text(promise), tests.map(testLink).join('<br>')]),
  )
  return `## What SECURITY.md promises\n\nThe points of [SECURITY.md](../../SECURITY.md#what-is-promised), by their first words.\n\n${table(['promise', 'tests that hold it'], lines)}`
}

function behind(answer: Answer): string {
  const gap = gapOf(answer)
  const more = gap ? `<br>but: ${text(gap)}` : ''
  if (answer.kind === 'tested') return answer.tests.map(testLink).join('<br>') + more
  if (answer.kind === 'documented') return answer.documents.map(documentLink).join(', ') + more
  return text(answer.reason)
}

function testLink(reference: string): string {
  const { file, name } = readReference(reference)
  return `[${file.replace(/^packages\/|tests\//g, '')}](../../${file}) «${text(name)}»`
}

const documentLink = (place: string): string =>
  `[${place}](${place.startsWith('docs/') ? place.replace('docs/', '../') : `../../${place}`})`

const kindOf = (answer: Answer): string =>
  gapOf(answer) && answer.kind === 'tested' ? 'tested, with a gap' : answer.kind
const gapOf = (answer: Answer): string | undefined => ('gap' in answer ? answer.gap : undefined)
const titleOf = (number: number): string => `V${number} ${chapters[number]?.title}`
const table = (heads: string[], lines: string[]): string =>
  `${tableRow(heads)}\n${tableRow(heads.map(() => '---'))}\n${lines.join('\n')}\n`
const tableRow = (cells: (string | number)[]): string => `| ${cells.join(' | ')} |`

/** Escapes Markdown, except between backticks. */
const text = (plain: string): string =>
  plain
    .split('`')
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/[_*|[\]\\]/g, String.raw`\$&`).replaceAll('<', '&lt;'),
    )
    .join('`')
