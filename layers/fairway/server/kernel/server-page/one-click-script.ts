/** Lets a form be sent once only; calls `remember` with the button that sent it. */
export const ONE_CLICK = `
document.addEventListener('submit',function(e){var b=e.submitter;if(!b||e.target.dataset.sent){if(e.target.dataset.sent)e.preventDefault();return}
e.target.dataset.sent='1';b.setAttribute('aria-busy','true');remember(b)});
addEventListener('pageshow',function(e){if(e.persisted)document.querySelectorAll('form').forEach(function(f){delete f.dataset.sent;f.querySelectorAll('button').forEach(function(b){b.removeAttribute('aria-busy')})})});
`

/** A page's whole script where nothing but that is wanted. */
export const oneClickScript = `function remember(){}${ONE_CLICK}`.trim().replaceAll('\n', '')
