import { designed, operators, type Requirement, tested } from './requirement'

export const webFrontend: readonly Requirement[] = [
  tested('3.2.1', 'A browser takes no answer for something else.', [
    'http/shell › prevent content sniffing and send no address to other sites for every kind of response',
    'http/shell › return 404 as problem details: %s',
  ]),
  designed('3.2.2', 'Text is put into pages as text.', 'Vue writes text; no component uses `v-html` or `innerHTML`.'),
  tested('3.3.1', 'Cookies are Secure and prefixed.', [
    'http/start › sets secure cookies with the __Host- prefix on https',
    'unit/domains/people/session-cookie › has the __Host- prefix and Secure only on HTTPS',
    'unit/domains/oauth-client/round-trip › have the __Host- prefix and Secure over https',
  ]),
  tested('3.3.2', 'Cookies say when other sites may send them.', [
    'unit/domains/sign-in/sign-in › returns no token and sets one HttpOnly cookie',
    'unit/domains/oauth-client/round-trip › have the __Host- prefix and Secure over https',
  ]),
  tested(
    '3.3.3',
    'Cookies are of one host.',
    [
      'unit/domains/people/session-cookie › has the __Host- prefix and Secure only on HTTPS',
      'unit/domains/oauth-client/hub-state › sets a verifier cookie for the callback path only, and a __Host- cookie',
      'unit/domains/oauth-server/desktop/ceremonies › sets a __Secure- cookie over https',
    ],
    'Cookies of one path have `__Secure-`: `__Host-` is for cookies of all paths.',
  ),
  tested('3.3.4', 'Scripts see no session, and answers hold none but the cookie.', [
    'unit/domains/sign-in/sign-in › returns no token and sets one HttpOnly cookie',
    'http/sessions › returns the session without a token and with Cache-Control no-store',
    'unit/domains/oauth-client/round-trip › have the __Host- prefix and Secure over https',
  ]),
  tested(
    '3.4.1',
    'Browsers use https for a year, also for subdomains.',
    ['http/start › sets secure cookies with the __Host- prefix on https'],
    'Hosts below the own one are not included, which their owners decide, and files of the build are answered without the header.',
  ),
  tested('3.4.2', 'Other origins read only what is meant for them.', [
    'unit/domains/oauth-server/token-requests › allows %s after a preflight, without cookies',
    'unit/domains/oauth-server/token-requests › does not allow %s',
    'unit/domains/mcp/endpoint › is accepted from the app’s own pages and listed origins, with CORS headers for listed origins',
  ]),
  tested(
    '3.4.3',
    'A policy limits what pages load and run.',
    ['http/shell › allow only their own inline scripts, by hash'],
    'Answers that are no pages carry no policy, and styles of application pages are not restricted by hash.',
  ),
  tested('3.4.4', 'No answer is sniffed.', [
    'http/shell › prevent content sniffing and send no address to other sites for every kind of response',
  ]),
  tested('3.4.5', 'Other sites do not learn our addresses.', [
    'http/shell › prevent content sniffing and send no address to other sites for every kind of response',
    'http/embed › passes the token in the fragment without a cookie and keeps it out of the log',
  ]),
  tested(
    '3.4.6',
    'Only allowed sites can show our pages in a frame.',
    [
      'http/embed › can be framed only by its own origin by default, and an invalid setting prevents the start',
      'unit/domains/oauth-server/authorize › is not cached and cannot be framed',
      'http/app-to-app › cannot be shown in a frame',
    ],
    'Answers that are no pages do not say so.',
  ),
  tested('3.5.1', 'Requests that change something come from our own pages.', [
    'http/other-sites › returns 403 with and without cookies: %s %s',
    'unit/domains/oauth-server/authorize › is rejected from another site and remains valid',
  ]),
  tested('3.5.2', 'Nothing relies on a preflight that some requests go without.', [
    'http/other-sites › returns 403 with and without cookies: %s %s',
  ]),
  tested('3.5.3', 'GET changes nothing.', [
    'http/sessions › is rejected as GET and from another site',
    'http/identity-client › does not use up a state with HEAD',
    'http/mail-sign-in › survives scanners that open it, and works once for concurrent requests',
  ]),
  operators(
    '3.5.4',
    'Each application has its own host.',
    'One installation serves one application at one origin; which host that is, its operator decides.',
  ),
  tested(
    '3.5.5',
    'Messages between windows are taken from known origins in known shapes.',
    [
      'desktop/e2e/broker › ignores frames and origins that are not applications of the shell',
      'desktop/unit/broker › refuses the unknown command %j and changes nothing',
    ],
    'The sample page for MCP hosts speaks to whichever host shows it, whose origin the protocol does not tell.',
  ),
  designed(
    '3.7.1',
    'No outdated technology runs in the browser.',
    'Pages are HTML, CSS and JavaScript modules; no plugin is used.',
  ),
  tested('3.7.2', 'Redirects to other hosts go to known ones.', [
    'unit/domains/oauth-server/redirect-uri › rejects an authorization request with %s',
    'http/identity-hub › returns 400 with a page to everyone, signed in or not: %s',
    'unit/domains/sign-in/sign-in › redirects to the start page for the return path %j',
    'unit/domains/sign-in/sign-in › returns 400 for the callback %j before the library reads it',
  ]),
]
