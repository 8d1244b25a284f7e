import { envTable } from './env'

interface Row {
  name: string
  group: string
  description: string
  unset: string
  example: string
  secret?: boolean
}

const rows = (): Row[] => Object.entries(envTable).map(([name, definition]) => ({ ...definition, name }))

const groups = (): [string, Row[]][] => {
  const byGroup = new Map<string, Row[]>()
  for (const row of rows()) byGroup.set(row.group, [...(byGroup.get(row.group) ?? []), row])
  return [...byGroup]
}

/** The text of `.env.example`, made from the table of variables. */
export function envExample(): string {
  const head =
    '# Everything here is optional for `npm run dev`. Production needs FW_BASE_URL and BETTER_AUTH_SECRET.\n# Copy to .env and take away the leading # where you set a value. Written by `npm run docs`.\n'
  const body = groups().map(
    ([group, members]) =>
      `\n# --- ${group}\n` +
      members
        .map(row => `# ${plain(row.description)}\n# Not set: ${plain(row.unset)}.\n#${row.name}=${row.example}\n`)
        .join(''),
  )
  return head + body.join('')
}

/** The text of docs/configuration.md, made from the table of variables. */
export function configurationDoc(): string {
  const head =
    '# Configuration\n\nEvery environment variable. All faults are reported at once at start, without repeating a value. An empty value counts as not set.\nThis page is written by `npm run docs` from `server/foundation/config/env.ts`.\n'
  const body = groups().map(
    ([group, members]) =>
      `\n## ${group}\n\n| Variable | What it does | When it is not set |\n|---|---|---|\n` +
      members
        .map(row => `| \`${row.name}\`${row.secret ? ' (secret)' : ''} | ${row.description} | ${row.unset} |\n`)
        .join(''),
  )
  return head + body.join('')
}

const plain = (text: string) => text.replaceAll('`', '')
