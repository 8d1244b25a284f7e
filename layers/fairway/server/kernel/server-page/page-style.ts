import type { Accent } from '../config/accent'

/** The style sheet of the pages that the server renders itself; its tokens are those of the application's theme. */
export const pageStyle = (accent: Accent): string => tokens(accent) + rules

const tokens = (accent: Accent): string =>
  `
:root{color-scheme:light dark;--bg:#f8fafc;--card:#fff;--text:#0f172a;--muted:#475569;--line:#cbd5e1;--accent:${accent[800]};--accent-hover:${accent[900]};--on-accent:#fff;--danger:#b91c1c;--danger-bg:#fef2f2;--warn:#92400e;--warn-bg:#fffbeb}
@media (prefers-color-scheme:dark){:root{--bg:#0f172a;--card:#1e293b;--text:#f1f5f9;--muted:#a3b1c6;--line:#475569;--accent:${accent[400]};--accent-hover:${accent[300]};--on-accent:${accent[950]};--danger:#fca5a5;--danger-bg:#450a0a;--warn:#fcd34d;--warn-bg:#451a03}}
`
    .trim()
    .replaceAll('\n', '')

const rules = `
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px 16px;background:var(--bg);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:400px}
.brand{display:flex;align-items:center;gap:8px;margin:0 0 16px;font-weight:600}
.brand svg{width:24px;height:24px;color:var(--accent)}.brand picture,.brand img{display:block}.brand img{height:24px;width:auto;max-width:160px}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:24px;box-shadow:0 1px 3px rgb(15 23 42/.08)}
h1{font-size:20px;line-height:1.3;margin:0 0 4px}
h2{font-size:16px;line-height:1.3;margin:24px 0 8px}p{margin:0 0 16px}.lead,.foot{color:var(--muted);font-size:14px}.foot{margin:16px 0 0}
label{display:block;font-size:14px;font-weight:500;margin:0 0 4px}
.field{margin:0 0 16px}.hint{font-size:13px;color:var(--muted);margin:4px 0 0}
input,select{width:100%;min-height:40px;padding:8px 12px;font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:8px}
fieldset{border:0;margin:0 0 16px;padding:0}legend{padding:0;margin:0 0 8px;font-size:14px;font-weight:500}
.check{display:flex;gap:12px;min-height:40px;margin:0 0 8px;font-size:14px;font-weight:400}.check small{display:block;color:var(--muted)}
.check input,.mark{flex:none;width:20px;min-height:0;height:20px;margin:0;padding:0;accent-color:var(--accent)}.mark{text-align:center;color:var(--accent);font-weight:600}
dl{margin:0 0 16px;font-size:14px;overflow-wrap:anywhere}dt{color:var(--muted)}dd{margin:0 0 8px}h1{overflow-wrap:anywhere}
button,.button{display:block;width:100%;min-height:40px;padding:8px 16px;font:inherit;font-weight:600;text-align:center;text-decoration:none;border:1px solid transparent;border-radius:8px;cursor:pointer;background:var(--accent);color:var(--on-accent);transition:background-color .14s}
button:hover,.button:hover{background:var(--accent-hover)}
button.quiet{background:transparent;color:var(--text);border-color:var(--line)}button.quiet:hover{background:var(--bg)}
button.link{display:inline;width:auto;min-height:0;padding:0;background:none;border:0;color:var(--accent);font-weight:500;text-decoration:underline}
.last{margin-left:4px;padding:0 8px;border:1px solid currentColor;border-radius:999px;font-weight:400;opacity:.85}
.mail{overflow-wrap:anywhere}
.links{display:flex;flex-wrap:wrap;gap:4px 16px}
[hidden]{display:none!important}
form .foot+button,.card button+button,form.below{margin-top:8px}
button[aria-busy=true]{opacity:.7;cursor:progress}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.alert{border:1px solid currentColor;border-radius:8px;padding:12px;margin:0 0 16px;font-size:14px;color:var(--danger);background:var(--danger-bg)}
.alert small{display:block;opacity:.85}
.banner{margin:0 0 16px;padding:8px 12px;border-radius:8px;font-size:14px;color:var(--warn);background:var(--warn-bg)}
.other{border-top:1px solid var(--line);margin-top:24px;padding-top:16px}
summary{cursor:pointer}details form{margin-top:16px}
.switch{display:none}.switch:target{display:block}.switch:target~.switch-default,body:has(.switch:target) .switch-default{display:none}
.languages{display:flex;gap:16px;justify-content:center;margin:16px 0 0;font-size:14px}
@media (prefers-reduced-motion:reduce){*{transition:none!important}}
`
  .trim()
  .replaceAll('\n', '')
