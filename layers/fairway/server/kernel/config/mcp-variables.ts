import { z } from 'zod'
import { splitList, text, variable } from './env-variable'

const FEWEST = 32
const staticToken = text.regex(/^[A-Za-z0-9\-._~+/]+=*$/, 'must be letters, digits and -._~+/ only').min(FEWEST)
const webOrigin = text
  .regex(/^https?:\/\/[a-z0-9.[\]:-]+$/i, 'each entry must be an origin')
  .refine(value => URL.canParse(value), 'each entry must be an origin')
  .transform(value => value.toLowerCase())

/** The environment variables of the protected remote endpoint `/mcp`. */
export const mcpVariables = {
  FW_MCP_ALLOWED_ORIGINS: variable({
    schema: text.transform(splitList).pipe(z.array(webOrigin)),
    group: 'Remote endpoint',
    description: 'Origins of web pages that may call `/mcp` from a browser, comma separated.',
    unset: 'only this application itself; programs send no origin and are not asked for one',
    example: 'https://inspector.example.com',
  }),
  ACCESS_TOKEN: variable({
    schema: staticToken,
    group: 'Remote endpoint',
    description: `A static bearer token for hosts that cannot use OAuth, ${FEWEST} characters or more. It opens /mcp and nothing else, with all scopes, as the person of \`FW_OWNER_EMAIL\`.`,
    unset: 'no static token',
    example: 'replace-me',
    secret: true,
  }),
  ACCESS_TOKENS: variable({
    schema: text.transform(splitList).pipe(z.array(staticToken)),
    group: 'Remote endpoint',
    description: 'Several static bearer tokens, comma separated, for example while one is replaced by another.',
    unset: 'no further static token',
    example: 'replace-me,replace-me-too',
    secret: true,
  }),
  FW_OWNER_EMAIL: variable({
    schema: z.string().trim().toLowerCase().pipe(z.email()),
    group: 'Remote endpoint',
    description:
      'The existing person that static bearer tokens act as, in the organization they work in, once the address is confirmed.',
    unset: 'static bearer tokens open nothing',
    example: 'ada@example.com',
  }),
}
