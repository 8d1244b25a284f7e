import { absent, operators, type Requirement, tested } from './requirement'

const NO_SOCKETS = 'The server opens no WebSocket.'

export const api: readonly Requirement[] = [
  tested(
    '4.1.1',
    'Every response declares its type and encoding.',
    [
      'http/actions › returns the result as JSON with cache-control no-store',
      'http/shell › return 404 as problem details: %s',
      'unit/domains/oauth-server/authorize › rejects a query over 8 KiB and an empty query',
    ],
    'JSON names no charset, since it is UTF-8 by its own standard.',
  ),
  operators(
    '4.1.2',
    'Only pages are redirected from http to https.',
    'The application redirects nothing; what listens on http is the proxy before it.',
  ),
  tested('4.1.3', 'Headers of proxies cannot be set by visitors.', [
    'http/rate-limits › uses the socket address when no proxy is trusted, regardless of headers',
    'http/rate-limits › uses the hop before the trusted proxy, regardless of what the client sent',
    'unit/domains/oauth-server/token-requests › %s is the same at the root and for /mcp, is cacheable and ignores host headers',
  ]),
  operators(
    '4.2.1',
    'All parts agree where a request ends.',
    'Node refuses a request with both lengths; the proxy before it is the operator’s choice.',
  ),
  tested('4.3.1', 'No query costs more than it may.', [
    'unit/domains/collections/query › limit client page sizes to 100 by default, and do not limit them when the maximum is null',
    'unit/domains/collections/sql/offset-page › returns collection-too-large when it exceeds the limit',
    'http/collections/formats › returns 400 when the links would become too long',
  ]),
  absent('4.3.2', 'GraphQL does not describe itself.', 'There is no GraphQL.'),
  absent('4.4.1', 'WebSockets are encrypted.', NO_SOCKETS),
  absent('4.4.2', 'WebSockets look at the origin.', NO_SOCKETS),
  absent('4.4.3', 'WebSockets use dedicated tokens where sessions do not fit.', NO_SOCKETS),
  absent('4.4.4', 'Tokens of WebSockets come from the session.', NO_SOCKETS),
]
