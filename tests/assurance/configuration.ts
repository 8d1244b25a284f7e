import { designed, documented, operators, type Requirement, tested } from './requirement'

export const configuration: readonly Requirement[] = [
  documented('13.1.1', 'It is documented with whom the application speaks.', [
    'docs/reference/settings.md',
    'docs/guides/connections.md',
    'docs/guides/app-to-app.md',
    'docs/guides/mcp-clients.md',
  ]),
  tested(
    '13.2.1',
    'Parts that speak to each other prove who they are, with what changes.',
    [
      'unit/domains/peers/peer-token › contains issuer, audience and subject, and expires after one minute',
      'unit/domains/peers/peer-token › is accepted only once',
    ],
    'A database server and a mail server take a fixed token or password.',
  ),
  operators(
    '13.2.2',
    'Parts have the rights they need.',
    'Under which account the process runs, and what its database token may do, its operator decides.',
  ),
  tested('13.2.3', 'There are no default credentials.', [
    'unit/kernel/config/config › refuses the secret %j without repeating it',
    'unit/kernel/config/identity-config › prevents the application from starting when it is weak',
    'unit/domains/mcp/static-token › prevent the start with %s=%s and never repeat the value',
  ]),
  tested(
    '13.2.4',
    'It is listed what may be reached.',
    [
      'unit/domains/peers/call-peer › returns unknown-peer for a name that is not configured',
      'unit/kernel/http/guarded-fetch › refuses %s without a connection',
    ],
    'Documents of MCP hosts are fetched from any public address, within limits; `FW_CLIENT_DOCUMENTS` and the operator’s firewall may say less.',
  ),
  operators(
    '13.2.5',
    'The server may reach what is listed.',
    'The firewall around the process is its operator’s; the application itself asks configured addresses and documents of MCP hosts.',
  ),
  operators(
    '13.3.1',
    'Secrets are kept in a place made for it.',
    'Secrets come from the environment, from a store that the operator chooses. None is in the code or the build.',
  ),
  operators('13.3.2', 'Few have access to secrets.', 'Who reads the environment of the process, its operator decides.'),
  designed(
    '13.4.1',
    'The history of the code is not served.',
    'What is deployed is the build (`.output`), which holds none; such paths are pages that do not exist.',
  ),
  tested('13.4.2', 'Nothing for developers runs in production.', [
    'unit/kernel/config/config › is the default when NODE_ENV is unset',
    'unit/kernel/config/config › never offers the development account or the local identity',
    'http/start › is not created or offered when NODE_ENV is %s',
  ]),
  tested('13.4.3', 'No folder lists its files.', [
    'http/shell › return 404 as problem details: %s',
    'http/shell › does not list folders',
  ]),
  tested('13.4.4', 'TRACE is not answered.', ['http/shell › rejects TRACE without repeating the request']),
  tested('13.4.5', 'Descriptions and measurements are open only where that is meant.', [
    'http/collections › serves %s as public JSON-LD',
    'unit/domains/organizations/vault/vault-requests › return metrics to clients with the token',
    'unit/domains/organizations/vault/vault-requests › require a confirmed address from FW_OPERATORS and return 404 to others',
  ]),
]
