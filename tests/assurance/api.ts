import { absent, operators, type Requirement, tested } from './requirement'

const NO_SOCKETS = 'The server opens no WebSocket.'

export const api: readonly Requirement[] = [
  tested(
    '4.1.1',
    'Every answer says what it is and in which encoding.',
    [
      'http/actions › answers the result as JSON that is not stored',
      'http/shell › answer 404 as a problem: %s',
      'http/oauth-authorize › with more than 8 KiB, and with nothing',
    ],
    'JSON names no charset, since it is UTF-8 by its own standard.',
  ),
  operators(
    '4.1.2',
    'Only pages are redirected from http to https.',
    'The application redirects nothing; what listens on http is the proxy before it.',
  ),
  tested('4.1.3', 'Headers of proxies cannot be set by visitors.', [
    'http/rate-limits › is the socket where no proxy is trusted, whatever headers say',
    'http/rate-limits › is the hop before the trusted proxy, whatever the client wrote before it',
    'http/oauth-tokens › %s is the same at the root and for /mcp, may be cached, and ignores what a request says of the host',
  ]),
  operators(
    '4.2.1',
    'All parts agree where a request ends.',
    'Node refuses a request with both lengths; the proxy before it is the operator’s choice.',
  ),
  tested('4.3.1', 'No query costs more than it may.', [
    'unit/domains/collections/query › clamp at 100 when no maximum is set, and at nothing when it is null',
    'unit/domains/collections/sql/offset-page › is refused when it is more than the limit',
    'http/collections/formats › that would grow too long in the links is refused',
  ]),
  absent('4.3.2', 'GraphQL does not describe itself.', 'There is no GraphQL.'),
  absent('4.4.1', 'WebSockets are encrypted.', NO_SOCKETS),
  absent('4.4.2', 'WebSockets look at the origin.', NO_SOCKETS),
  absent('4.4.3', 'WebSockets have tokens of their own where sessions do not fit.', NO_SOCKETS),
  absent('4.4.4', 'Tokens of WebSockets come from the session.', NO_SOCKETS),
]
