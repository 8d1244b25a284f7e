import { type Requirement, tested } from './requirement'

export const tokens: readonly Requirement[] = [
  tested('9.1.1', 'Tokens are verified before they are read.', [
    'unit/domains/oauth-server/access › with a changed payload, another key, or the public key as a secret is rejected',
    'unit/domains/peers/peer-token › is refused without a signature',
  ]),
  tested('9.1.2', 'One algorithm for each purpose, and never none.', [
    'unit/domains/oauth-server/access › with the algorithm %j is rejected',
    'http/provider-sign-in › is rejected with an ID token %s',
    'unit/domains/peers/peer-token › is refused: a token %s',
  ]),
  tested('9.1.3', 'Keys come from where they are configured, never from the token.', [
    'unit/domains/oauth-server/access › with a changed payload, another key, or the public key as a secret is rejected',
    'unit/domains/oauth-server/access › with the kid %j is rejected',
    'http/provider-sign-in › is rejected with an ID token %s',
  ]),
  tested('9.2.1', 'Tokens count within their time.', [
    'unit/domains/oauth-server/access › expires after an hour',
    'unit/domains/oauth-server/tokens › returns an access token of %s seconds when configured',
    'unit/domains/oauth-server/access › is rejected when our own key signed it for another purpose',
    'unit/domains/peers/peer-token › is refused: a token %s',
  ]),
  tested('9.2.2', 'Tokens of one purpose are none of another.', [
    'unit/domains/oauth-server/access › is rejected when our own key signed it for another purpose',
    'unit/domains/peers/peer-token › is refused for another purpose',
  ]),
  tested('9.2.3', 'Tokens are for us.', [
    'unit/domains/oauth-server/access › is rejected when our own key signed it for another purpose',
    'unit/domains/oauth-client/hub-assertion › identity assertion › %s is rejected',
    'unit/domains/actions/peer-calls/peer-call › that is %s returns the same 401 as all others and records a security event',
  ]),
  tested('9.2.4', 'Tokens that we sign name whom they are for.', [
    'unit/domains/peers/peer-token › contains issuer, audience and subject, and expires after one minute',
    'unit/domains/oauth-server/tokens › returns invalid_target for another resource than this server',
    'unit/domains/oauth-server/hub/redeem-code › returns an assertion for this callback only, which is valid for a minute and once',
  ]),
]
