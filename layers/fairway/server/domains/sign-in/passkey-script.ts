import { AUTH_PREFIX } from '#fairway/shared/paths'

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
