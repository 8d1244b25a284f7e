import { documented, type Requirement, tested } from './requirement'

export const validation: readonly Requirement[] = [
  tested('2.1.1', 'The rules for input are documented.', ['http/openapi › describes every action with its schema']),
  documented('2.1.2', 'It is documented which values must fit each other.', [
    'docs/reference/settings.md#what-password-sign-up-asks-for',
    'docs/guides/organizations.md#who-may-do-what-to-the-team',
  ]),
  documented('2.1.3', 'Limits of use are documented, for people and for the whole.', ['docs/guides/devices.md#limits']),
  tested('2.2.1', 'Input is checked against what is expected.', [
    'http/actions › gets its code and stores nothing: %j',
    'http/actions › refuses the query %s, naming the field',
    'http/operations › refuses a body that is no JSON object, where it reads one',
  ]),
  tested('2.2.2', 'The server checks, whatever the browser did.', [
    'http/actions › names each field without repeating a value',
    'http/org-matrix › a member who is %s becomes %s only by the table',
  ]),
  tested('2.2.3', 'Values that belong together are checked together.', [
    'http/organizations › needs a confirmed address, belongs to one organization, and lets colleagues join once',
    'unit/domains/collections/query › odd values › %s is refused',
  ]),
  tested('2.3.1', 'Steps happen in their order, for the same person.', [
    'http/two-factor › makes no session before the code is right',
    'http/oauth-authorize › of another person is refused',
    'http/oauth-authorize › of another sign-in of the same person is refused',
  ]),
  tested('2.3.2', 'The documented limits hold.', [
    'http/org-limits › one account makes ten organizations a day, however many it asks for at once',
    'http/passkeys › stops at twenty, with many at once too',
    'http/sessions › are 25 at most; the oldest ends',
  ]),
  tested('2.3.3', 'What belongs together happens wholly or not at all.', [
    'unit/kernel/database/client › of a transaction rolls it back and does not disturb what follows',
    'unit/domains/sessions/local-migration/move-local-data › a failure in the middle › moves nothing at all',
  ]),
  tested('2.3.4', 'What is there once is given once, by any number of requests at once.', [
    'unit/domains/organizations/races › two owners who demote, remove or leave never leave the organization without an owner',
    'unit/domains/oauth-server/races › one code gives one answer at most, and nothing of it lives on',
    'http/app-to-app › takes one of twenty answers at the same time, and the action runs once',
  ]),
  tested('2.4.1', 'Programs cannot call without end.', [
    'http/rate-limits › ends after five tries, also from many networks and when sixty come at once',
    'http/org-limits › one network sends twenty invitations an hour, with however many accounts, by hand and by a host',
    'http/mcp › hold for one grant',
    'unit/domains/mcp/call-limits › a grant has twenty calls running at once, others are not held up, and a call that ends makes room',
  ]),
]
