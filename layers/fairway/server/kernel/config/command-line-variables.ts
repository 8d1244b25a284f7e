import { z } from 'zod'
import { text, variable } from './env-variable'

/** What the command line reads. */
export const commandLineVariables = {
  AUTH_MODE: variable({
    schema: z.enum(['local']),
    group: 'Command line',
    description:
      '`local` lets `fw action`, and `fw mcp stdio` without an address, act as the one real person who is signed in to the local database.',
    unset: 'both refuse',
    example: 'local',
  }),
  FW_USER_EMAIL: variable({
    schema: z.string().trim().toLowerCase().pipe(z.email()),
    group: 'Command line',
    description: 'Whom the command line acts as when several people are signed in to the local database.',
    unset: 'the only one there is',
    example: 'ada@example.com',
  }),
  FW_DESKTOP_BROWSER: variable({
    schema: text,
    group: 'Command line',
    description: 'The Chrome, Edge or Chromium that `fw desktop` opens its windows in.',
    unset: 'the first that is found',
    example: '/usr/bin/chromium',
  }),
  FW_DESKTOP_BROWSER_ARGS: variable({
    schema: text,
    group: 'Command line',
    description:
      'Further arguments for that browser, separated by spaces. `--headless=new` is for machines without a screen; a debugging port opens every signed-in page to all programs of the machine, so it is for tests only.',
    unset: 'none',
    example: '--headless=new',
  }),
  FW_MCP_TOKEN: variable({
    schema: text,
    group: 'Command line',
    description: 'A static token that `fw mcp stdio` sends to the endpoint it is given, in place of signing in.',
    unset: 'it signs in by OAuth; `ACCESS_TOKEN` is used too for the endpoint at `FW_BASE_URL`',
    example: 'replace-me',
    secret: true,
  }),
}
