import { ONE_CLICK, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import { AUTH_PREFIX, SESSION_PATH, SIGN_IN_AGAIN, SIGN_IN_PATH } from '#fairway/shared/paths'

const REMEMBER = `
function remember(b){if(b.name=='provider'||/^(magic-link|sign-in)$/.test(b.value))try{localStorage.setItem('fw.sign-in',b.value)}catch(e){}}
try{var last=localStorage.getItem('fw.sign-in'),used=last&&document.querySelector('button[value="'+CSS.escape(last)+'"]');
if(used){var s=document.createElement('small');s.className='last';s.textContent=document.querySelector('[data-last]').dataset.last;used.append(' ',s);
var part=used.closest('.switch');if(part&&!location.hash&&!document.querySelector('.alert:not([hidden])'))location.replace('#'+part.id)}}catch(e){}
`
const LOOK = `
function look(){if(new URLSearchParams(location.search).has('${SIGN_IN_AGAIN}'))return;fetch('${SESSION_PATH}',{cache:'no-store'}).then(function(r){return r.ok?r.json():null}).then(function(a){if(a&&a.session)location.replace('/_fw/continue'+location.search)}).catch(function(){})}
look();addEventListener('focus',look);document.addEventListener('visibilitychange',function(){if(!document.hidden)look()});
`
const WAIT = `
var over=Date.now()+36e5,busy=false;
function ask(){if(busy||document.hidden||Date.now()>over)return;busy=true;
fetch('${AUTH_PREFIX}/waiting',{method:'POST',headers:{'content-type':'application/json'},body:'{}'}).then(function(r){return r.json()}).then(function(a){busy=false;
if(a.code=='second-factor-required'){over=0;q.set('step','code');location.replace('${SIGN_IN_PATH}?'+q)}
if(a.status=='signed-in')location.replace(a.location);else if(a.status=='ended'){over=0;document.querySelector('[data-ended]').hidden=false;look()}}).catch(function(){busy=false})}
var q=new URLSearchParams(location.search);q.delete('step');document.querySelector('[data-keep-query]').search=q;
ask();setInterval(ask,3000);addEventListener('focus',ask);
`

const script = (...parts: string[]): string => parts.join('').trim().replaceAll('\n', '')

/** The sign-in page's script: one submit per click, the last used way marked, and on to the return path when this browser is signed in already. */
export const signInScript = script(REMEMBER, ONE_CLICK, LOOK)

/** The waiting page's script: on as soon as the link was opened, on this device or another. */
export const waitingScript = script(oneClickScript, LOOK, WAIT)

export const PASSKEY_BOX_ID = 'passkey'

/**
 * The part of the page's script that signs in with passkeys, in browsers that can: by the button, and by what the e-mail field
 * offers (conditional mediation). A challenge lives five minutes, so the field asks for a new one after four.
 */
export const passkeyScript = `
(function(){
var P=window.PublicKeyCredential,box=document.getElementById('${PASSKEY_BOX_ID}');
if(!box||!P||!P.parseRequestOptionsFromJSON)return;
var alert=box.querySelector('[role=alert]'),button=box.querySelector('button'),fields=document.querySelectorAll('#magic-link input[type=email],#sign-in input[type=email]'),waiting,since=0,offers=false,asking=false;
function post(path,body){return fetch('${AUTH_PREFIX}/passkey/'+path,{method:'POST',headers:{'content-type':'application/json'},body:JSON.stringify(body)})}
function say(code){alert.querySelector('small').textContent=code||'';alert.hidden=false}
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
box.hidden=false;
if(P.isConditionalMediationAvailable)P.isConditionalMediationAvailable().then(function(can){if(!can||!fields.length)return;fields.forEach(function(field){field.autocomplete='username webauthn'});offers=true;offer();setInterval(function(){if(!document.hidden&&Date.now()-since>240000)offer()},5000)})
})();
`
  .trim()
  .replaceAll('\n', '')
