import { documented, type Requirement, tested } from './requirement'

export const validation: readonly Requirement[] = [
  tested('2.1.1', 'The rules for input are documented.', ['http/openapi › describes every action with its schema']),
  documented('2.1.2', 'It is documented which values must fit each other.', [
    'docs/reference/settings.md#what-password-sign-up-asks-for',
    'docs/guides/organizations.md#who-may-do-what-to-the-team',
  ]),
  documented('2.1.3', 'Limits of use are documented, for people and for the whole.', ['docs/guides/devices.md#limits']),
  tested('2.2.1', 'Input is checked against what is expected.', [
    'http/actions › returns the matching error code and stores nothing for %j',
    'http/actions › returns 400 for the query %s and names the field',
    'unit/operations › rejects a body that is not a JSON object, if it reads one',
  ]),
  tested('2.2.2', 'The server checks every input, even if the browser did.', [
    'http/actions › names each invalid field without repeating its value',
    'unit/domains/organizations/org-matrix › change a member from %s to %s only if the actor manages both roles',
  ]),
  tested('2.2.3', 'Values that belong together are checked together.', [
    'unit/domains/organizations/organizations › requires a confirmed address, belongs to one organization and lets colleagues join once',
    'unit/domains/collections/query › readSelection › rejects %s',
  ]),
  tested('2.3.1', 'Steps happen in their order, for the same person.', [
    'http/two-factor › creates no session before the code is correct',
    'unit/domains/oauth-server/authorize › is rejected for another person',
    'unit/domains/oauth-server/authorize › is rejected in another session of the same person',
  ]),
  tested('2.3.2', 'The documented limits hold.', [
    'unit/domains/organizations/races › of one account create at most ten organizations and twenty invitations',
    'http/passkeys › stops at 20 passkeys, even with simultaneous requests',
    'http/sessions › are limited to 25, and the oldest ends',
  ]),
  tested('2.3.3', 'Related changes happen together or not.', [
    'unit/kernel/database/client › in a transaction rolls it back and does not affect later calls',
    'unit/domains/sessions/local-migration/move-local-data › a failure during the move › leaves every row in place',
  ]),
  tested('2.3.4', 'A limited resource is assigned once, even by simultaneous requests.', [
    'unit/domains/organizations/races › of two owners to demote, remove or leave always keep at least one owner',
    'unit/domains/oauth-server/races › with one code return one answer, whose connection goes on',
    'http/app-to-app › accepts one of twenty concurrent approvals and runs the action once',
  ]),
  tested('2.4.1', 'Programs cannot call without end.', [
    'http/rate-limits › is stopped after five attempts, even from many networks and with 60 at once',
    'http/org-limits › allow a network 20 invitations per hour across accounts, the API and MCP hosts',
    'http/mcp › allows 600 requests for one grant, then returns 429 with Retry-After',
    'unit/domains/mcp/call-limits › withinCallLimits allows twenty concurrent calls per grant, does not affect others, and frees finished calls',
  ]),
]
