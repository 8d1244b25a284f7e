import { z } from 'zod'
import { isLoopbackHost } from '#fairway/shared/loopback'
import { emailSchema } from '#fairway/shared/schemas/email'
import { inGroup, seconds, text } from './env-variable'

// A value for a header or an address, without characters that could end the line.
const headerText = text.regex(/^[\x21-\x7e]{1,1024}$/, 'must be plain characters without blanks')

const serviceOrigin = z
  .url({ protocol: /^https?$/ })
  .refine(isServiceOrigin, 'must be an https origin without path, or http on this machine')
  .transform(value => new URL(value).origin)

/** The location of uploaded files. */
export const fileVariables = inGroup('Files', {
  FW_FILES: {
    schema: z
      .string()
      .regex(/^s3:\/\/[a-z\d][a-z\d.-]+(\/[\w./-]*)?(\?.*)?$/, 'must begin with s3:// and the name of a bucket')
      .transform(value => new URL(value))
      .refine(({ searchParams }) => {
        const endpoint = searchParams.get('endpoint')
        return endpoint === null || (URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol))
      }, 'endpoint must be an http(s) address')
      .refine(
        ({ searchParams }) => ['0', '1', null].includes(searchParams.get('direct')),
        'direct must be 1, or not there',
      ),
    description:
      'A bucket of S3 or of a service that speaks as S3 does, a prefix in it, and where it is: `endpoint` and `region` (`us-east-1` when not given). With `direct=1`, browsers get files from the bucket itself, by an address that is good for 60 seconds: they must reach the bucket.',
    unset: 'the folder `files` of `FW_DATA_DIR`',
    example: 's3://files/app?endpoint=https://s3.example.com&region=eu-central-1',
  },
  FW_FILES_KEY: {
    schema: text,
    description: 'The access key of the bucket.',
    unset: 'needed with `FW_FILES`',
    example: 'AKIA...',
    secret: true,
  },
  FW_FILES_SECRET: {
    schema: text,
    description: 'The secret of the access key.',
    unset: 'needed with `FW_FILES`',
    example: 'wJalr...',
    secret: true,
  },
})

/** The environment variables of the builder service; `fw builder connect` writes three of them. */
export const builderVariables = inGroup('Builder', {
  BUILDER_PRIVATE_KEY: {
    schema: headerText,
    description: 'The key that opens the builder service. `fw builder connect` writes this and the two below.',
    unset: 'not connected',
    example: 'bpk-...',
    secret: true,
  },
  BUILDER_PUBLIC_KEY: {
    schema: headerText,
    description: 'The key that names the space at the builder service.',
    unset: 'not connected',
    example: '0123456789abcdef',
    secret: true,
  },
  BUILDER_USER_ID: {
    schema: headerText,
    description: 'Who connected, as the builder service calls them.',
    unset: 'no user is named',
    example: 'user-123',
  },
  BUILDER_APP_HOST: {
    schema: serviceOrigin,
    description: 'Where `fw builder connect` sends the browser.',
    unset: '`https://builder.io`',
    example: 'https://builder.io',
  },
  BUILDER_API_HOST: {
    schema: serviceOrigin,
    description: 'The address that provides browser connections; plain http only on this machine.',
    unset: '`https://api.builder.io`',
    example: 'https://api.builder.io',
  },
})

function isServiceOrigin(value: string): boolean {
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(value)
  const isLocal = isLoopbackHost(hostname)
  return (protocol === 'https:' || isLocal) && pathname === '/' && !search && !hash && !username && !password
}

/** The variables that the command line reads. */
export const commandLineVariables = inGroup('Command line', {
  AUTH_MODE: {
    schema: z.enum(['local']),
    description:
      '`local` lets `fw action`, and `fw mcp stdio` without an address, act as the one real person who is signed in to the local database.',
    unset: 'both refuse',
    example: 'local',
  },
  FW_USER_EMAIL: {
    schema: emailSchema,
    description: 'Whom the command line acts as when several people are signed in to the local database.',
    unset: 'the only one there is',
    example: 'ada@example.com',
  },
  FW_TOKEN: {
    schema: headerText,
    description:
      'A personal token: what `fw action … --at` and `fw mcp stdio` call an application elsewhere with. `fw mcp stdio` takes a static token too.',
    unset:
      '`fw action` runs here; `fw mcp stdio` signs in by OAuth; `ACCESS_TOKEN` is used too for the endpoint at `FW_BASE_URL`',
    example: 'fwp_...',
    secret: true,
  },
})

/** The variables for operating the application: monitoring it, and running it behind a proxy. */
export const operatorVariables = inGroup('Server', {
  FW_METRICS_TOKEN: {
    schema: text.min(32, 'must have at least 32 characters'),
    description: 'The bearer token that opens `/_fw/metrics`.',
    unset: 'metrics are not served',
    example: 'openssl rand -hex 32',
    secret: true,
  },
  FW_IDLE_CONNECTIONS: {
    schema: seconds.pipe(z.number().min(1).max(3600)),
    description:
      'How many seconds the server keeps an idle connection open. It must be longer than the proxy in front keeps one, or visitors get a 502 now and then.',
    unset: '`130`; nginx keeps one for 60, Traefik for 90, Caddy for 120',
    example: '130',
  },
  FW_LOG_LEVEL: {
    schema: z.enum(['debug', 'info', 'warn', 'error']),
    description: 'The least important log line that is written.',
    unset: '`info`',
    example: 'info',
  },
  FW_SHORTCUTS: {
    schema: z.enum(['on', 'off']),
    description:
      '`off` answers every request the plain way: nothing that was read, rendered or verified is remembered, and no step is left out. Answers are the same, and slower.',
    unset: '`on`',
    example: 'off',
  },
})
