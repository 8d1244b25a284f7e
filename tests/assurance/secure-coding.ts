import { documented, operators, type Requirement, tested } from './requirement'

export const secureCoding: readonly Requirement[] = [
  documented('15.1.1', 'It is documented how soon vulnerabilities are fixed.', ['SECURITY.md#report']),
  tested(
    '15.1.2',
    'All packages of the application are known.',
    [
      'architecture/lockfile › is based on exact dependency versions in package.json',
      'architecture/lockfile › contains the optional packages of every platform, so npm ci works on each',
    ],
    '`package-lock.json` is the list; no bill of materials in a standard format is published.',
  ),
  documented('15.1.3', 'It is documented what costs much, and what limits it.', [
    'docs/guides/devices.md#limits',
    'docs/performance.md',
  ]),
  operators(
    '15.2.1',
    'No part is older than the documented times allow.',
    'Maintainers update the lockfile; operators update their installations.',
  ),
  tested('15.2.2', 'What costs much does not stop the rest.', [
    'unit/kernel/crypto/password › does not block the event loop',
    'unit/kernel/crypto/password › runs at most the given number of tasks at once and finishes all, even after failures',
    'unit/domains/actions/run-action › fails with timed-out at the timeout and aborts the action’s signal',
    'http/actions › returns 413 for an endless body without blocking other requests',
    'unit/domains/actions/audit/audit-subject › scans at most 5,000 rows per page and continues there on the next page',
    'http/collections/costly-reads › the health check answers within 100 ms during %s',
    'unit/kernel/database/apart-reader › refuses a read that takes longer than the limit, and goes on with the next',
    'unit/domains/webhooks/webhooks › arrives within two seconds even when many receivers of other organizations do not respond',
    'unit/domains/webhooks/webhooks › accepts at most 10,000 events, and lets other requests run between its batches',
    'unit/domains/changes/change-feed › change feed keeps places for other networks when accounts on one network use all of theirs',
  ]),
  tested(
    '15.2.3',
    'Production holds what it needs.',
    [
      'http/start › is not created or offered when NODE_ENV is %s',
      'unit/domains/sign-in/sign-in › returns 404 for other endpoints of the library',
    ],
    'The notes sample is part of the application until `fw remove sample` takes it out.',
  ),
  tested('15.3.1', 'Answers hold the fields that are meant.', [
    'http/sessions › returns the session without a token and with Cache-Control no-store',
    'unit/domains/collections/serving › returns only the declared fields of its items',
    'http/passkeys › lists the passkey with its name and without its keys',
    'unit/domains/oauth-server/token-requests › are listed with their permissions and without tokens',
  ]),
  tested('15.3.2', 'Redirects of other servers are not followed.', [
    'unit/kernel/http/guarded-fetch › does not follow a redirect',
    'http/provider-sign-in › is not followed when it redirects',
    'http/identity-client › does not follow redirects from the hub',
  ]),
  tested('15.3.3', 'Requests set the fields that are meant.', [
    'http/actions › ignores __proto__ and unknown names in query and body',
    'unit/domains/organizations/org-matrix › cannot change or remove the actor’s own membership',
  ]),
  tested('15.3.4', 'The address of a visitor is the true one.', [
    'unit/kernel/http/client-address › returns the socket address and ignores headers without a trusted proxy',
    'unit/kernel/http/client-address › returns the right-most hop that is not a proxy, behind a trusted proxy',
    'http/rate-limits › uses the hop before the trusted proxy, regardless of what the client sent',
  ]),
  tested('15.3.5', 'Values have the type that is expected.', [
    'http/actions › returns 400 for the query %s and names the field',
    'http/actions › returns the matching error code and stores nothing for %j',
    'unit/domains/actions/run-action › denies when the guard returns %j',
  ]),
  tested('15.3.6', 'Prototypes cannot be changed or taken for data.', [
    'http/actions › ignores __proto__ and unknown names in query and body',
    'http/actions › returns 404 for inherited names, unknown names and other letter case',
    'unit/domains/actions/coerce-input › treats __proto__ as an ordinary field name',
  ]),
  tested('15.3.7', 'A parameter that comes twice, or from elsewhere, decides nothing.', [
    'unit/domains/actions/coerce-input › rejects a single value that is given twice',
    'unit/domains/oauth-server/authorize › GET /mcp/oauth/authorize: error page before the client and redirect URI are verified › rejects a request with %s twice',
    'unit/domains/oauth-server/token-requests › accepts only POST forms of up to 64 KiB that contain each field once',
  ]),
]
