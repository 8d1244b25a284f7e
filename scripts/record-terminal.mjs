// `node scripts/record-terminal.mjs <picture.svg> <folder> '<command>'…`: runs commands in a folder and writes what a terminal shows
// as an animated SVG, for pages where looking is quicker than reading. Fails if a command fails.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

const [picture, folder, ...commands] = process.argv.slice(2)
const [WIDTH, LINE, PADDING] = [760, 20, 16]
/** Nobody waits longer than this for a line in the picture, in seconds. */
const LONGEST_WAIT = 0.8
const SHOWN_AT_END = 5

/** The lines of a command, each with the seconds since the previous one. */
async function linesOf(command) {
  const child = spawn('sh', ['-c', `${command} 2>&1`], { cwd: folder, env: { ...process.env, NO_COLOR: '1' } })
  const ended = once(child, 'close')
  const lines = []
  let [began, rest] = [performance.now(), '']
  for await (const chunk of child.stdout) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    for (const text of parts) {
      lines.push({ text: stripVTControlCharacters(text), wait: (performance.now() - began) / 1000 })
      began = performance.now()
    }
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`${command} failed:\n${lines.map(({ text }) => text).join('\n')}`)
  return lines
}

const escaped = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const lines = []
for (const command of commands) {
  lines.push({ text: `$ ${command}`, wait: LONGEST_WAIT, isCommand: true }, ...(await linesOf(command)))
}
const times = []
for (const { wait } of lines) times.push((times.at(-1) ?? 0) + Math.min(wait, LONGEST_WAIT))
const seconds = (times.at(-1) ?? 0) + SHOWN_AT_END
const height = lines.length * LINE + 2 * PADDING
const rows = lines.map(({ text, isCommand }, at) => {
  const y = PADDING + (at + 0.75) * LINE
  return `<text x="${PADDING}" y="${y}" class="l${isCommand ? ' c' : ''}" style="animation-name:l${at}">${escaped(text)}</text>`
})
const frames = times.map(time => ((time / seconds) * 100).toFixed(1))
const keyframes = frames.map((from, at) => `@keyframes l${at}{0%,${from}%{opacity:0}${from}1%,100%{opacity:1}}`)
writeFileSync(
  picture,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${escaped(commands.join(' · '))}</title>
<style>
.l{font:13px ui-monospace,Menlo,Consolas,monospace;white-space:pre;fill:#d4d4d4;animation:${seconds.toFixed(1)}s linear infinite}
.c{fill:#86efac;font-weight:600}
@media (prefers-reduced-motion:reduce){.l{animation:none}}
${keyframes.join('\n')}
</style>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#171717"/>
${rows.join('\n')}
</svg>
`,
)
console.log(`${picture}: ${lines.length} lines, ${seconds.toFixed(1)} s`)
