import { designed, operators, type Requirement, tested } from './requirement'

export const webFrontend: readonly Requirement[] = [
  tested('3.2.1', 'A browser takes no answer for something else.', [
    'http/shell › is taken for what it says it is, and tells other sites no address',
    'http/shell › answer 404 as a problem: %s',
  ]),
  designed('3.2.2', 'Text is put into pages as text.', 'Vue writes text; no component uses `v-html` or `innerHTML`.'),
  tested('3.3.1', 'Cookies are Secure and prefixed.', [
    'http/start › sets secure cookies under the __Host- prefix on https',
    'unit/domains/people/session-cookie › carries the __Host- prefix and Secure on https only',
    'unit/domains/oauth-client/round-trip › carry the __Host- prefix and Secure on https',
  ]),
  tested('3.3.2', 'Cookies say when other sites may send them.', [
    'http/sign-in › answers without a token and sets one HttpOnly cookie',
    'unit/domains/oauth-client/round-trip › carry the __Host- prefix and Secure on https',
  ]),
  tested(
    '3.3.3',
    'Cookies are of one host.',
    [
      'unit/domains/people/session-cookie › carries the __Host- prefix and Secure on https only',
      'unit/domains/oauth-client/hub-state › gives the browser a verifier that only the callback sees, and a mark that no other host can set',
      'unit/domains/oauth-server/desktop/ceremonies › has a cookie that other hosts cannot send without https',
    ],
    'Cookies of one path have `__Secure-`: `__Host-` is for cookies of all paths.',
  ),
  tested('3.3.4', 'Scripts see no session, and answers hold none but the cookie.', [
    'http/sign-in › answers without a token and sets one HttpOnly cookie',
    'http/sessions › gives the facts and never a token, and is not stored',
    'http/provider-sign-in › is kept as a hash, and lies in a cookie that scripts do not see',
  ]),
  tested(
    '3.4.1',
    'Browsers are told to use https for a year, for hosts below too.',
    ['http/start › sets secure cookies under the __Host- prefix on https'],
    'Hosts below the own one are not included, which their owners decide, and files of the build are answered without the header.',
  ),
  tested('3.4.2', 'Other origins read only what is meant for them.', [
    'http/oauth-tokens › may use %s after a preflight, without cookies',
    'http/oauth-tokens › may not read %s',
    'unit/domains/mcp/endpoint › is let in from our own pages and from those that are listed, whose scripts may read the answer',
  ]),
  tested(
    '3.4.3',
    'A policy limits what pages load and run.',
    ['http/shell › allow only their own inline scripts, by hash'],
    'Answers that are no pages carry no policy, and styles of application pages are not restricted by hash.',
  ),
  tested('3.4.4', 'No answer is sniffed.', [
    'http/shell › is taken for what it says it is, and tells other sites no address',
  ]),
  tested('3.4.5', 'Other sites do not learn our addresses.', [
    'http/shell › is taken for what it says it is, and tells other sites no address',
    'http/embed › hands the token over in the fragment, without a cookie and unseen by the log',
  ]),
  tested(
    '3.4.6',
    'Nobody shows our pages in a frame unless it is meant.',
    [
      'http/embed › are framed by nobody else when nothing is set, and a setting that is no list of origins stops the start',
      'http/oauth-authorize › is for this visitor alone, and for no frame',
      'http/app-to-app › is shown by no frame',
    ],
    'Answers that are no pages do not say so.',
  ),
  tested('3.5.1', 'Requests that change something come from our own pages.', [
    'http/other-sites › is refused with and without cookies: %s %s',
    'http/oauth-authorize › from another site is refused',
  ]),
  tested('3.5.2', 'Nothing relies on a preflight that some requests go without.', [
    'http/other-sites › is refused with and without cookies: %s %s',
  ]),
  tested('3.5.3', 'GET changes nothing.', [
    'http/sessions › is never done by GET, and never from another site',
    'http/identity-client › does not spend a state by HEAD',
    'http/mail-sign-in › is not burnt by scanners that only look, and not twice by those who press at once',
  ]),
  operators(
    '3.5.4',
    'Each application has a host of its own.',
    'One installation serves one application at one origin; which host that is, its operator decides.',
  ),
  tested(
    '3.5.5',
    'Messages between windows are taken from known origins in known shapes.',
    [
      'e2e/desktop-broker › is deaf to origins that are no application of the shell, and to frames',
      'e2e/desktop-broker › unknown commands, whatever they are, are refused and change nothing',
    ],
    'The sample page for MCP hosts speaks to whichever host shows it, whose origin the protocol does not tell.',
  ),
  designed(
    '3.7.1',
    'No outdated technology runs in the browser.',
    'Pages are HTML, CSS and JavaScript modules; no plugin is used.',
  ),
  tested('3.7.2', 'Redirects to other hosts go to known ones.', [
    'unit/domains/oauth-server/redirect-uri › refuses %s',
    'http/identity-hub › is refused with a page for people, whoever they are: %s',
    'http/sign-in › ends at the start page for the return path %j',
    'http/sign-in › refuses the callback %j before the library sees it',
  ]),
]
