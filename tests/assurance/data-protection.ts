import { missing, type Requirement, tested } from './requirement'

export const dataProtection: readonly Requirement[] = [
  missing(
    '14.1.1',
    'Data is sorted by how much protection it needs.',
    'docs/storage-schema.md says of each table what it holds and what of it is sealed or hashed; it names no levels.',
  ),
  missing('14.1.2', 'It is documented what each level needs.', 'There are no levels.'),
  tested(
    '14.2.1',
    'Nothing sensitive is in an address.',
    [
      'http/sessions › ignores a token in the query',
      'http/embed › passes the token in the fragment without a cookie and keeps it out of the log',
      'e2e/identity-hub › one sign-in at the hub opens both applications at the requested pages, and no URL that the browser visits contains a token or an assertion',
    ],
    'Links in mails carry a secret that works once and ends soon; opening one changes nothing.',
  ),
  tested('14.2.2', 'Caches on the way keep nothing of anybody.', [
    'http/shell › have the same bytes and headers for every visitor: %s',
    'unit/domains/collections/admission › returns the caller’s own items with no-store and without an ETag',
    'unit/domains/collections/admission › is cacheable only for callers without a session',
  ]),
  tested('14.2.3', 'Nothing goes to others who need it not.', [
    'e2e/first-load › pages stay within their JavaScript limits, load nothing external and log nothing',
  ]),
  missing(
    '14.2.4',
    'Data is protected as its level requires.',
    'There are no levels; credentials, tokens, mails and keys are sealed, links and codes hashed.',
  ),
  tested('14.3.1', 'Signing out takes what the browser shows.', [
    'e2e/session-gate › signing out in one tab redirects the other tabs to the sign-in page without a reload',
    'unit/app/session/draft › are all deleted by forgetDrafts, which keeps other stored items',
  ]),
  tested('14.3.2', 'Browsers keep no answers.', [
    'http/actions › returns the result as JSON with cache-control no-store',
    'http/sessions › returns the session without a token and with Cache-Control no-store',
    'unit/domains/oauth-server/authorize › is not cached and cannot be framed',
  ]),
  tested(
    '14.3.3',
    'Browsers store nothing sensitive.',
    ['unit/app/session/draft › return the stored values only to the same person and under the same name'],
    'The tab keeps an unsaved note until it is saved or the person signs out. An embed page keeps its token there.',
  ),
]
