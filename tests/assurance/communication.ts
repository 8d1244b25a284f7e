import { absent, operators, type Requirement, tested } from './requirement'

const PROXY = 'TLS ends at the proxy in front of the application, which its operator configures.'

export const communication: readonly Requirement[] = [
  operators('12.1.1', 'TLS 1.2 or newer.', PROXY),
  operators('12.1.2', 'Good cipher suites.', PROXY),
  absent('12.1.3', 'Certificates of clients are verified.', 'No client is known by a certificate.'),
  operators(
    '12.2.1',
    'Everything from outside comes by TLS.',
    `${PROXY} With an https base URL cookies are Secure and browsers are told to stay.`,
  ),
  operators('12.2.2', 'Certificates are publicly trusted.', PROXY),
  operators(
    '12.3.1',
    'All connections are encrypted.',
    'Providers, hubs and peers must use https outside this machine. The addresses of database and mail server decide about their encryption (`libsql:`, `smtps:`).',
  ),
  tested('12.3.2', 'Certificates of servers are verified.', [
    'unit/kernel/http/guarded-fetch › refuses a server with an untrusted certificate',
    'unit/kernel/config/config › requires https in production, except on this machine',
  ]),
  operators(
    '12.3.3',
    'Connections inside are encrypted.',
    'One process and a database; a database elsewhere is reached as its address says.',
  ),
  operators(
    '12.3.4',
    'Certificates inside are trusted ones.',
    'Node trusts the certificates that its operator adds (`NODE_EXTRA_CA_CERTS`).',
  ),
]
