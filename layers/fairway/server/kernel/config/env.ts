import { z } from 'zod'
import { emailSchema } from '#fairway/shared/schemas/email'
import { builderVariables, commandLineVariables, fileVariables, operatorVariables } from './tool-variables'
import { FRAME_ORIGIN, flag, folder, hostName, seconds, splitList, text, type Variable, inGroup } from './env-variable'
import { networkVariables } from './network-variables'
import { identityVariables, mcpVariables, oauthVariables, providerVariables } from './protocol-variables'

/** Every environment variable, once: the reader, `.env.example` and docs/reference/settings.md all come from this table. */
export const envTable = {
  ...inGroup('Server', {
    NODE_ENV: {
      schema: z.enum(['development', 'test', 'production']),
      description:
        'Which rules apply. Only `development` makes a development account. `test` makes password hashes that are quick to guess.',
      unset: '`production`',
      example: 'production',
    },
    FW_BASE_URL: {
      schema: z.url({ protocol: /^https?$/ }),
      description: 'The one public origin. Links, cookies and origin checks come from it, never from request headers.',
      unset: 'development: `http://localhost:` and the port; production refuses to start',
      example: 'https://app.example.com',
    },
    PORT: {
      schema: z.coerce.number().int().min(0).max(65535),
      description: 'The TCP port that is listened on.',
      unset: '`3000`',
      example: '3000',
    },
    HOST: {
      schema: text,
      description: 'The address that is listened on.',
      unset: 'all addresses in production, loopback in development',
      example: '127.0.0.1',
    },
    FW_ALLOWED_HOSTS: {
      schema: text.transform(splitList).pipe(z.array(hostName)),
      description:
        'Further hostnames, comma separated, that requests may be sent to in development, with `AUTH_DISABLED`, and where the base URL is this machine; all others get 421.',
      unset: 'the name of the base URL, and this machine',
      example: 'preview.example.com,192.168.1.20',
    },
    FW_TRUSTED_PROXIES: {
      schema: text.transform(splitList),
      description: 'Addresses of reverse proxies, comma separated. Only from these is `X-Forwarded-For` believed.',
      unset: 'none: the client address is the socket address',
      example: '10.0.0.4,10.0.0.5',
    },
    FW_OPERATORS: {
      schema: text.transform(splitList).pipe(z.array(emailSchema)),
      description:
        'The confirmed addresses, comma separated, of the people who run this installation: they see security events and alerts.',
      unset: 'no operators',
      example: 'ops@example.com',
    },
  }),
  ...networkVariables,
  ...operatorVariables,
  ...inGroup('Database', {
    FW_DATA_DIR: {
      schema: text,
      description: 'The folder for the embedded database, the files and the development secret.',
      unset: '`.data`',
      example: '.data',
    },
    DATABASE_URL: {
      schema: z.string().regex(/^(file:|libsql:|https?:|wss?:)/, 'must begin with file:, libsql:, http(s): or ws(s):'),
      description:
        'An embedded database file (`file:`) or a libSQL server (`libsql://`, `http(s)://`, or by a web socket `ws(s)://`, which costs least where it is near).',
      unset: '`file:.data/fairway.db`',
      example: 'libsql://database.example.com',
    },
    DATABASE_AUTH_TOKEN: {
      schema: text,
      description: 'The token of the libSQL server.',
      unset: 'no token is sent',
      example: 'eyJhbGciOi...',
      secret: true,
    },
    FW_DATABASE_REPLICA: {
      schema: text,
      description: 'A file for an embedded replica of the libSQL server named by `DATABASE_URL`.',
      unset: 'no replica',
      example: '.data/replica.db',
    },
    FW_DATABASE_REPLICA_SYNC: {
      schema: z.coerce.number().min(0.1).max(3600),
      description: 'How many seconds the replica may be behind what others wrote; access is read at the server.',
      unset: '0.2',
      example: '5',
    },
    FW_DATABASE_MEMORY: {
      schema: flag,
      description:
        'With a libSQL server, with or without a replica, `0` lets every request query it, so what one instance ends takes effect on all at once.',
      unset: '`1`: an instance remembers what it has read for at most a second, and forgets it when it writes itself',
      example: '0',
    },
  }),
  ...fileVariables,
  ...inGroup('Secrets', {
    BETTER_AUTH_SECRET: {
      schema: text,
      description: 'The root secret, 32 characters or more. Make one with `openssl rand -base64 48`.',
      unset: 'development makes one and keeps it in the data folder; production refuses to start',
      example: 'replace-me',
      secret: true,
    },
    BETTER_AUTH_SECRET_PREVIOUS: {
      schema: text.transform(splitList),
      description: 'Earlier root secrets, comma separated. They still verify and open, so a rotation ends no session.',
      unset: 'none',
      example: 'the-secret-before',
      secret: true,
    },
  }),
  ...inGroup('Sign-in', {
    FW_PASSWORD_MIN_LENGTH: {
      schema: z.coerce.number().int().min(8).max(128),
      description: 'The fewest characters of a password, from 8 to 128.',
      unset: '`12`',
      example: '12',
    },
    FW_BREACHED_PASSWORDS: {
      schema: folder,
      description:
        'A service in the range format of Have I Been Pwned, by which new passwords are compared with known breaches. It learns five of the forty digits of a hash. When it does not answer in two seconds, only the shipped list of common passwords counts.',
      unset: 'off: only the shipped list of common passwords counts',
      example: 'https://api.pwnedpasswords.com/range/',
    },
    FW_REQUIRE_SECOND_FACTOR: {
      schema: z
        .enum(['true', '1', 'at-once', 'false', '0'])
        .transform(value => value !== 'false' && value !== '0' && value),
      description:
        '`true` requires a second factor of everyone. People have 7 days to set it up, from when this was turned on or their account was created, whichever is later; `at-once` gives no days. After that, people without one can only set it up.',
      unset: '`false`: each organization decides for its members',
      example: 'true',
    },
    FW_RATE_LIMITS: {
      schema: z.enum(['on', 'off']),
      description: '`off` switches the limits on sign-in attempts off, for load runs and tests.',
      unset: '`on`',
      example: 'on',
    },
    AUTH_MAGIC_LINK: {
      schema: flag,
      description: '`0`: no sign-in links by mail; the page offers the password instead.',
      unset: 'links are offered when mail is ready',
      example: '1',
    },
    AUTH_REQUIRE_EMAIL_VERIFICATION: {
      schema: flag,
      description:
        'Whether a password account opens only after its address was confirmed. Outranks `AUTH_SKIP_EMAIL_VERIFICATION`; `auth.requireEmailVerification` of the application outranks it. `1` without `SMTP_URL` and `EMAIL_FROM` switches password sign-up off, in development too.',
      unset: 'see `AUTH_SKIP_EMAIL_VERIFICATION`',
      example: '1',
    },
    AUTH_SKIP_EMAIL_VERIFICATION: {
      schema: flag,
      description:
        '`1`: password sign-up confirms no address and sends no mail for it; `0`: it does when mail is ready.',
      unset: 'production confirms when mail is ready; development and tests skip it',
      example: '0',
    },
  }),
  ...providerVariables,
  ...inGroup('Organizations', {
    AUTO_CREATE_DEFAULT_ORG: {
      schema: flag,
      description: '`0`: users get no personal organization on first use.',
      unset: 'on',
      example: '1',
    },
    FW_ORG_DELETION_GRACE: {
      schema: z.coerce.number().int().min(0).max(365),
      description:
        'For how many days an owner can restore an organization that was deleted. After that its rows are removed. `0`: at once.',
      unset: '`7`',
      example: '30',
    },
  }),
  ...inGroup('Mail', {
    SMTP_URL: {
      schema: z.string().regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://'),
      description:
        'The mail server, with username and password if it requires them. Mail is ready when `EMAIL_FROM` is set too.',
      unset:
        'development writes mails to `outbox/` in the data folder and shows them at `/_fw/dev/outbox`; production sends none',
      example: 'smtps://user:password@mail.example.com:465',
      secret: true,
    },
    EMAIL_FROM: {
      schema: text,
      description: 'The sender of our mails.',
      unset: 'no mail is sent by SMTP',
      example: 'Fairway <no-reply@example.com>',
    },
  }),
  ...inGroup('Development', {
    AUTH_DISABLED: {
      schema: flag,
      description: 'Every request runs as one fixed identity. For previews on a private network only.',
      unset: 'off',
      example: 'false',
    },
    FW_ALLOW_AUTH_DISABLED: {
      schema: flag,
      description: 'Must be `1` before production starts with `AUTH_DISABLED`.',
      unset: 'off',
      example: '0',
    },
    FW_DISABLE_AUTO_DEV_ACCOUNT: {
      schema: flag,
      description: '`1` switches the development account off.',
      unset: 'off',
      example: '0',
    },
    FW_LOCAL_DATA_OWNER: {
      schema: emailSchema,
      description: 'The one address whose owner may move the data of the development account to their own.',
      unset: 'in development every user who signed up; elsewhere no user',
      example: 'ada@example.com',
    },
  }),
  ...inGroup('Pages', {
    FW_SHELL_CACHE: {
      schema: z.union([z.literal('off'), seconds]),
      description: 'How many seconds shared caches may keep application pages, or `off`.',
      unset: '`600`',
      example: '600',
    },
    FW_EMBED_ANCESTORS: {
      schema: text.transform(splitList).pipe(z.array(z.string().regex(FRAME_ORIGIN, 'each entry must be an origin'))),
      description:
        'Origins whose pages may show our embed pages in a frame, comma separated; `https://*.example.com` includes every host below it.',
      unset: 'only pages of this application itself',
      example: 'https://www.example.com,https://*.example.org',
    },
  }),
  ...oauthVariables,
  ...builderVariables,
  ...mcpVariables,
  ...identityVariables,
  ...commandLineVariables,
} satisfies Record<string, Variable>

type EnvTable = typeof envTable
export type Env = { [Name in keyof EnvTable]?: z.output<EnvTable[Name]['schema']> }

/** An invalid configuration; `faults` lists every variable with its fault. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(`The configuration cannot be used:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

/** Parses the environment; throws one ConfigError with all faults and never repeats a value. Empty means not set. */
export function readEnv(source: Record<string, string | undefined>): Env {
  const faults: string[] = []
  const env: Record<string, unknown> = {}
  for (const [name, { schema }] of Object.entries<Variable>(envTable)) {
    const raw = source[name]
    if (raw === undefined || raw === '') continue
    const parsed = schema.safeParse(raw)
    if (parsed.success) env[name] = parsed.data
    else faults.push(`${name}: ${parsed.error.issues.map(issue => issue.message).join('; ')}`)
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return env as Env
}
