import { SESSION_PATH } from '#shared/paths'

/** The page's only script: one submit per click, and on to the return path when this browser is signed in already or another tab has signed in meanwhile. */
export const signInScript = `
document.addEventListener('submit',function(e){var b=e.submitter;if(!b||e.target.dataset.sent){if(e.target.dataset.sent)e.preventDefault();return}
e.target.dataset.sent='1';b.setAttribute('aria-busy','true')});
addEventListener('pageshow',function(e){if(e.persisted)document.querySelectorAll('form').forEach(function(f){delete f.dataset.sent;f.querySelectorAll('button').forEach(function(b){b.removeAttribute('aria-busy')})})});
function look(){fetch('${SESSION_PATH}',{cache:'no-store'}).then(function(r){return r.ok?r.json():null}).then(function(a){if(a&&a.session)location.replace('/_fw/continue'+location.search)}).catch(function(){})}
look();addEventListener('focus',look);document.addEventListener('visibilitychange',function(){if(!document.hidden)look()});
`
  .trim()
  .replaceAll('\n', '')
