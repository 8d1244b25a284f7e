import { documented, operators, type Requirement, tested } from './requirement'

export const secureCoding: readonly Requirement[] = [
  documented('15.1.1', 'It is documented how soon faults are mended.', ['SECURITY.md#report']),
  tested(
    '15.1.2',
    'It is known of which packages the application is made.',
    [
      'architecture/lockfile › belongs to exact versions',
      'architecture/lockfile › holds every platform package, so that npm ci works on each',
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
    'Maintainers update the lockfile, whoever runs an installation updates that.',
  ),
  tested('15.2.2', 'What costs much does not stop the rest.', [
    'unit/kernel/crypto/password › leaves the event loop free',
    'unit/kernel/crypto/password › runs at most so many at once, all in the end, also after failures',
    'unit/domains/actions/run-action › stops at its time and tells the action',
    'http/actions › that never ends is cut, without hurting others',
    'unit/domains/actions/audit/audit-subject › looks at 5,000 rows for one page at most, and goes on from there with the next',
    'unit/domains/webhooks/webhooks › reaches a stranger within two seconds, however many receivers of others say nothing',
    'unit/domains/webhooks/webhooks › takes 10,000 events at most, and answers others between its pieces',
    'unit/domains/changes/change-feed › has places left for others when the accounts behind one network have taken all that they may',
  ]),
  tested(
    '15.2.3',
    'Production holds what it needs.',
    [
      'http/start › is neither made nor offered where NODE_ENV is %s',
      'http/sign-in › has no other endpoints of the library',
    ],
    'The notes sample is part of the application until `fw remove sample` takes it out.',
  ),
  tested('15.3.1', 'Answers hold the fields that are meant.', [
    'http/sessions › gives the facts and never a token, and is not stored',
    'unit/domains/collections/serving › gives the declared fields of its items and nothing else',
    'http/passkeys › lists it with its name and nothing of its keys',
    'http/oauth-tokens › are listed with what they may do, without any token',
  ]),
  tested('15.3.2', 'Redirects of other servers are not followed.', [
    'unit/kernel/http/guarded-fetch › that is a redirect is not followed',
    'http/provider-sign-in › that leads elsewhere is not followed',
    'http/identity-client › because it leads elsewhere is not followed',
  ]),
  tested('15.3.3', 'Requests set the fields that are meant.', [
    'http/actions › ignores __proto__ and unknown names in query and body',
    'http/org-matrix › never to themselves',
  ]),
  tested('15.3.4', 'The address of a visitor is the true one.', [
    'unit/kernel/http/client-address › is the socket address, whatever a header says',
    'unit/kernel/http/client-address › is the right-most hop that is not a proxy, behind a trusted proxy',
    'http/rate-limits › is the hop before the trusted proxy, whatever the client wrote before it',
  ]),
  tested('15.3.5', 'Values have the type that is expected.', [
    'http/actions › refuses the query %s, naming the field',
    'http/actions › gets its code and stores nothing: %j',
    'unit/domains/actions/run-action › denies when the guard returns %j',
  ]),
  tested('15.3.6', 'Prototypes cannot be changed or taken for data.', [
    'http/actions › ignores __proto__ and unknown names in query and body',
    'http/actions › is never chosen by an inherited name, or another case',
    'unit/domains/actions/coerce-input › takes __proto__ for a name like any other',
  ]),
  tested('15.3.7', 'A parameter that comes twice, or from elsewhere, decides nothing.', [
    'unit/domains/actions/coerce-input › refuses a single value that is given twice',
    'http/oauth-authorize › before the client and its address are proven, the person sees a page › with %s twice',
    'http/oauth-tokens › takes forms only, of 64 KiB at most, by POST, with every field once',
  ]),
]
