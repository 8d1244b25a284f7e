// How a fault is shown where no server answers: as a page to people, and as problem+json to programs. In development only.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newRequestId } from '../../server/kernel/crypto/random'
import { PROBLEM_MEDIA_TYPE } from '../../server/kernel/http/app-error'
import { type Fault, placeOf } from './faults'

const TITLE = 'The application does not start'

/** 503 with the reason and its place. */
export function answerFault(req: IncomingMessage, res: ServerResponse, fault: Fault, rootDir: string): void {
  const isPage = (req.headers.accept ?? '').includes('text/html')
  const place = placeOf(fault, rootDir)
  res.writeHead(503, {
    'content-type': isPage ? 'text/html; charset=utf-8' : PROBLEM_MEDIA_TYPE,
    'cache-control': 'no-store',
    'retry-after': '1',
  })
  res.end(isPage ? page(fault, place) : JSON.stringify(problem(fault, place)))
}

const problem = ({ message, frame }: Fault, place: string) => ({
  type: 'about:blank',
  title: TITLE,
  status: 503,
  detail: message,
  requestId: newRequestId(),
  ...(place ? { place } : {}),
  ...(frame ? { frame } : {}),
})

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, character => ESCAPES[character] ?? character)

/** It asks again until there is an answer, and then shows that. */
const page = ({ message, frame }: Fault, place: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${TITLE}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-inline-size: 60rem; margin: 3rem auto; padding-inline: 1rem; }
h1 { font-size: 1.25rem; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid #8888; border-radius: .5rem; font: 14px/1.5 ui-monospace, monospace; white-space: pre-wrap; }
pre[data-frame] { white-space: pre; }
</style>
</head>
<body>
<main>
<h1>${TITLE}</h1>
${place ? `<p><code>${escaped(place)}</code></p>\n` : ''}<pre>${escaped(message)}</pre>
${frame ? `<pre data-frame tabindex="0">${escaped(frame)}</pre>\n` : ''}<p>This page shows the application again when the file is mended.</p>
</main>
<script>
setInterval(async () => {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined)
  if (answer && answer.status !== 503) location.reload()
}, 500)
</script>
</body>
</html>
`
