import { envTable } from './env'
import { signInPolicy } from './sign-in-config'

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

/** The text of docs/reference/settings.md, made from the table of variables. */
export function configurationDoc(): string {
  const head =
    '---\norder: 60\n---\n\n# Settings\n\nEvery environment variable. All faults are reported at once at start, without repeating a value. An empty value counts as not set.\nThis page is written by `npm run docs` from `server/kernel/config/env.ts`.\n'
  const body = groups().map(
    ([group, members]) =>
      `\n## ${group}\n\n| Variable | What it does | When it is not set |\n|---|---|---|\n` +
      members
        .map(row => `| \`${row.name}\`${row.secret ? ' (secret)' : ''} | ${row.description} | ${row.unset} |\n`)
        .join(''),
  )
  return head + body.join('') + signInDoc()
}

/** Documents the effect of the sign-in switches for every combination, with the same function that decides at run time. */
function signInDoc(): string {
  const declared = { '`true` / `1`': true, '`false` / `0`': false, 'not set': undefined }
  const skipped = { '`1`': true, '`0`': false, 'not set': undefined }
  const lines = Object.entries(declared).flatMap(([declaredName, declaredValue]) =>
    Object.entries(skipped).flatMap(([skipName, skipVerification]) =>
      (['production', 'development'] as const).map(environment => {
        const outcome = (sendsMail: boolean) => {
          const input = { declared: declaredValue, skipVerification, environment, sendsMail, magicLink: undefined }
          const policy = signInPolicy(input)
          if (!policy.passwordSignUp) return 'no password sign-up'
          if (policy.emailVerification === 'required') return 'confirm first'
          return policy.acceptsUnverified
            ? 'no confirmation'
            : 'no confirmation, but unconfirmed addresses prove nothing'
        }
        return `| ${declaredName} | ${skipName} | ${environment} | ${outcome(true)} | ${outcome(false)} |\n`
      }),
    ),
  )
  return `\n## What password sign-up asks for\n\n"Declared" is \`auth.requireEmailVerification\` in fw.config.ts, else \`AUTH_REQUIRE_EMAIL_VERIFICATION\`. Mail is ready when \`SMTP_URL\` and \`EMAIL_FROM\` are set; in development the outbox takes what would be sent, and counts as mail. It does not count for a declared \`true\`: without a mail server that switches password sign-up off in every environment. A link by mail is offered first whenever mail is ready and \`AUTH_MAGIC_LINK\` is not \`0\`. "Unconfirmed addresses prove nothing": they accept no invitation by its ID and join by no domain.\n\n| Declared | \`AUTH_SKIP_EMAIL_VERIFICATION\` | Environment | With a mail server | Without |\n|---|---|---|---|---|\n${lines.join('')}`
}

const plain = (text: string) => text.replaceAll('`', '')
