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
      'http/sessions › ignores a token in the address',
      'http/embed › hands the token over in the fragment, without a cookie and unseen by the log',
      'e2e/identity-hub › no address that the browser visits has a token or an assertion in it',
    ],
    'Links in mails carry a secret that works once and ends soon; opening one changes nothing.',
  ),
  tested('14.2.2', 'Caches on the way keep nothing of anybody.', [
    'http/shell › are the same bytes and headers for every visitor: %s',
    'unit/domains/collections/admission › shows a person what is theirs, and nobody keeps it',
    'unit/domains/collections/admission › is kept by caches only as strangers see it',
  ]),
  tested('14.2.3', 'Nothing goes to others who need it not.', [
    'e2e/first-load › ${path} stays within its limit of JavaScript, from here only, with an empty console, keeps its place and fits 320 px',
  ]),
  missing(
    '14.2.4',
    'Data is protected as its level asks for.',
    'There are no levels; credentials, tokens, mails and keys are sealed, links and codes hashed.',
  ),
  tested('14.3.1', 'Signing out takes what the browser shows.', [
    'e2e/session-gate › a sign-out in one tab empties the others without a reload',
    'unit/app/session/draft › forgets every draft and nothing else',
  ]),
  tested('14.3.2', 'Browsers keep no answers.', [
    'http/actions › answers the result as JSON that is not stored',
    'http/sessions › gives the facts and never a token, and is not stored',
    'http/oauth-authorize › is for this visitor alone, and for no frame',
  ]),
  tested(
    '14.3.3',
    'Browsers store nothing sensitive.',
    ['unit/app/session/draft › gives back what was kept, to the same person and under the same name only'],
    'A note that is being written is kept in the tab until it is saved or somebody signs out; an embed page keeps its token there.',
  ),
]
