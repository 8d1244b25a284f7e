import { Resolver } from 'node:dns'
import { z } from 'zod'
import { inGroup, splitList, text } from './env-variable'

/** Origins, comma separated. */
const origins = text.transform(splitList).pipe(
  z.array(
    z
      .url({ protocol: /^https?$/, error: 'each entry must be an origin, for example http://hooks.internal:8080' })
      .refine(entry => new URL(entry).origin === entry.replace(/\/$/, ''), 'each entry must be an origin only')
      .transform(entry => new URL(entry).origin),
  ),
)

/** An IP address, with or without a port. */
const dnsServer = text.refine(server => {
  try {
    new Resolver().setServers([server])
    return true
  } catch {
    return false
  }
}, 'each entry must be an IP address, with or without a port')

/** What this server may reach. */
export const networkVariables = inGroup('Server', {
  FW_WEBHOOK_ORIGINS: {
    schema: origins,
    description:
      'Origins inside your network, comma separated, that webhooks of operators (`FW_OPERATORS`) may be sent to. All other webhooks go to public https addresses.',
    unset: 'public https addresses only; in development this machine too',
    example: 'http://hooks.internal:8080',
  },
  FW_ISSUER_ORIGINS: {
    schema: origins,
    description:
      'Origins inside your network, comma separated, where the OpenID providers of organizations may be. All others are reached at public https addresses only.',
    unset: 'public https addresses only',
    example: 'https://keycloak.internal:8443',
  },
  FW_DNS_SERVERS: {
    schema: text.transform(splitList).pipe(z.array(dnsServer)),
    description:
      'DNS servers, comma separated, that are asked for the records with which organizations prove their domains. Each is an IP address, with a port if it is not 53.',
    unset: 'the DNS servers of this machine',
    example: '10.0.0.53,[2001:db8::53]:5353',
  },
})
