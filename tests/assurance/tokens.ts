import { type Requirement, tested } from './requirement'

export const tokens: readonly Requirement[] = [
  tested('9.1.1', 'Tokens are verified before they are read.', [
    'unit/domains/oauth-server/access › a changed payload, another key, and the public key as a secret are refused',
    'unit/domains/peers/peer-token › is refused when nobody has signed it',
  ]),
  tested('9.1.2', 'One algorithm for each purpose, and never none.', [
    'unit/domains/oauth-server/access › an algorithm %j is refused',
    'http/provider-sign-in › with an ID token %s is refused',
    'unit/domains/peers/peer-token › is refused: one %s',
  ]),
  tested('9.1.3', 'Keys come from where they are configured, never from the token.', [
    'unit/domains/oauth-server/access › a changed payload, another key, and the public key as a secret are refused',
    'unit/domains/oauth-server/access › a kid %j is refused',
    'http/provider-sign-in › with an ID token %s is refused',
  ]),
  tested('9.2.1', 'Tokens count within their time.', [
    'unit/domains/oauth-server/access › ends after an hour',
    'unit/domains/oauth-server/tokens › is exchanged for an access token of %s seconds where that is the setting',
    'unit/domains/oauth-server/access › what our own key signed for another purpose is refused',
    'unit/domains/peers/peer-token › is refused: one %s',
  ]),
  tested('9.2.2', 'Tokens of one purpose are none of another.', [
    'unit/domains/oauth-server/access › what our own key signed for another purpose is refused',
    'unit/domains/peers/peer-token › does not pass as one of another purpose',
  ]),
  tested('9.2.3', 'Tokens are for us.', [
    'unit/domains/oauth-server/access › what our own key signed for another purpose is refused',
    'unit/domains/oauth-client/hub-assertion › an assertion › %s is refused',
    'unit/domains/actions/peer-calls/peer-call › that is %s opens nothing, and is answered like all the others',
  ]),
  tested('9.2.4', 'Tokens that we sign name whom they are for.', [
    'unit/domains/peers/peer-token › says who signed it, for whom, about whom, for a minute',
    'unit/domains/oauth-server/tokens › is for our endpoint only',
    'unit/domains/oauth-server/hub/redeem-code › gives an assertion about the person, for exactly this callback, for a minute and once',
  ]),
]
