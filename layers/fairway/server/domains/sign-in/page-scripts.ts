import { ONE_CLICK, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import { LANGUAGE_SETTING, LAST_WAY, TIME_ZONE_COOKIE } from '#fairway/shared/device'
import { AUTH_PREFIX, SESSION_PATH, SIGN_IN_AGAIN, SIGN_IN_PATH } from '#fairway/shared/paths'

// The sign-in method is stored when a session is seen (`lastWay`), so failed attempts are not stored.
const LAST = `
function remember(b){if(b.name=='language')try{localStorage.setItem('${LANGUAGE_SETTING}',b.value)}catch(e){}document.querySelectorAll('.reveal[aria-pressed=true]').forEach(function(r){r.click()})}
try{var kept=localStorage.getItem('${LAST_WAY}'),last=kept=='password'?'sign-in':kept,used=last&&document.querySelector('button[value="'+CSS.escape(last)+'"]');
if(used){var s=document.createElement('small');s.className='last';s.textContent=document.querySelector('[data-last]').dataset.last;used.classList.add('with-mark');used.append(' ',s);var more=used.closest('details');if(more)more.open=true;
var part=used.closest('.switch');if(part&&!location.hash&&!document.querySelector('.alert:not([hidden]),.fault,.invited'))location.replace('#'+part.id)}}catch(e){}
`
// A page without a language in its address is in the default language for everyone. A browser that prefers another language
// redirects to it.
const LANGUAGE = `
try{var asked=new URLSearchParams(location.search);if(!asked.has('lang')){var wish=localStorage.getItem('${LANGUAGE_SETTING}'),offered,of=function(w){return document.querySelector('.languages [lang="'+CSS.escape(w)+'"]')};(wish?[wish]:navigator.languages).some(function(w){return offered=of(w)||of(w.split('-')[0])});
if(offered&&offered.value){asked.set('lang',offered.value);location.replace('?'+asked+location.hash)}}}catch(e){}
`
// Mails show times in the zone of their reader.
const ZONE = `
try{document.cookie='${TIME_ZONE_COOKIE}='+Intl.DateTimeFormat().resolvedOptions().timeZone+';path=/;max-age=31536000;samesite=lax'}catch(e){}
`
const REVEAL = `
document.querySelectorAll('.reveal').forEach(function(b){var i=document.getElementById(b.getAttribute('aria-controls'));b.hidden=false;b.addEventListener('click',function(){var t=i.type=='password';i.type=t?'text':'password';b.setAttribute('aria-pressed',t)})});
`
const LOOK = `
function look(){if(new URLSearchParams(location.search).has('${SIGN_IN_AGAIN}'))return;fetch('${SESSION_PATH}',{cache:'no-store'}).then(function(r){return r.ok?r.json():null}).then(function(a){if(a&&a.session){try{localStorage.setItem('${LAST_WAY}',a.session.provider)}catch(e){}location.replace('/_fw/continue'+location.search)}}).catch(function(){})}
look();addEventListener('focus',look);document.addEventListener('visibilitychange',function(){if(!document.hidden)look()});
`
const WAIT = `
var over=Date.now()+36e5,busy=false;
function ask(){if(busy||document.hidden||Date.now()>over)return;busy=true;
fetch('${AUTH_PREFIX}/waiting',{method:'POST',headers:{'content-type':'application/json'},body:'{}'}).then(function(r){return r.json()}).then(function(a){busy=false;
if(a.code=='second-factor-required'){over=0;q.set('step','code');location.replace('${SIGN_IN_PATH}?'+q)}
if(a.status=='signed-in')location.replace(a.location);else if(a.status=='ended'){over=0;document.querySelector('[data-waiting]').hidden=true;document.querySelector('[data-ended]').hidden=false;look()}}).catch(function(){busy=false})}
var q=new URLSearchParams(location.search);q.delete('step');document.querySelectorAll('[data-keep-query]').forEach(function(a){a.search=q});
ask();setInterval(ask,3000);addEventListener('focus',ask);
(function(b){var text=b.textContent,left=30;function tick(){b.disabled=left>0;b.textContent=left>0?b.dataset.wait.replace('{seconds}',left):text;if(left-->0)setTimeout(tick,1000)}tick()})(document.querySelector('[data-wait]'));
`

const script = (...parts: string[]): string => parts.join('').trim().replaceAll('\n', '')

/**
 * The sign-in page's script: one submit per click, the language, the mark on the previously used method, and revealing
 * passwords. It also redirects to the return path when this browser is already signed in.
 */
export const signInScript = script(ZONE, LANGUAGE, LAST, REVEAL, ONE_CLICK, LOOK)

/** The script of a page that sets a password: one submit per click, and revealing the password. */
export const passwordScript = script(oneClickScript, REVEAL)

/** The waiting page's script: continues as soon as the link was opened, on any device. */
export const waitingScript = script(oneClickScript, LOOK, WAIT)

export const PASSKEY_BOX_ID = 'passkey'

/**
 * The part of the page's script for passkeys, in browsers that support them: the button, and suggestions in the email field
 * (conditional mediation). A challenge is valid for five minutes, so the field requests a new one after four.
 */
export const passkeyScript = `
(function(){
var P=window.PublicKeyCredential,box=document.getElementById('${PASSKEY_BOX_ID}');
if(!box||!P||!P.parseRequestOptionsFromJSON)return;
var alert=box.querySelector('[role=alert]'),button=box.querySelector('button'),fields=document.querySelectorAll('#magic-link input[type=email],#sign-in input[type=email]'),waiting,since=0,offers=false,asking=false;
function post(path,body){return fetch('${AUTH_PREFIX}/passkey/'+path,{method:'POST',headers:{'content-type':'application/json'},body:JSON.stringify(body)})}
function say(code){alert.querySelector('small').textContent=code||'';alert.querySelector('details').hidden=!code;alert.hidden=false}
async function start(mediation){
var chosen=mediation==='optional';
if(waiting)waiting.abort();
var mine=waiting=new AbortController();since=Date.now();
try{
var answer=await post('options',{});
if(!answer.ok){if(chosen)say((await answer.json()).code);return}
var options=await answer.json();
if(mine.signal.aborted)return;
var credential=await navigator.credentials.get({publicKey:P.parseRequestOptionsFromJSON(options),mediation:mediation,signal:mine.signal});
chosen=true;
var result=await post('verify',{response:credential.toJSON()});
if(result.ok){location.replace('/_fw/continue'+location.search);return}
var code=(await result.json()).code;
if(code==='unknown-passkey'&&P.signalUnknownCredential)P.signalUnknownCredential({rpId:options.rpId,credentialId:credential.id}).catch(function(){});
say(code)
}catch(error){if(chosen&&error.name!=='AbortError'&&error.name!=='NotAllowedError')say()}
if(mine!==waiting)return;
asking=false;button.removeAttribute('aria-busy');
if(chosen)offer()}
function offer(){if(offers&&!asking)start('conditional')}
button.addEventListener('click',function(){if(asking)return;asking=true;alert.hidden=true;button.setAttribute('aria-busy','true');start('optional')});
for(var shown=box;shown;shown=shown.parentElement)shown.hidden=false;
if(P.isConditionalMediationAvailable)P.isConditionalMediationAvailable().then(function(can){if(!can||!fields.length)return;offers=true;offer();setInterval(function(){if(!document.hidden&&Date.now()-since>240000)offer()},5000)})
})();
`
  .trim()
  .replaceAll('\n', '')
