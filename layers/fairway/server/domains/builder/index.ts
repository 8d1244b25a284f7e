export { getBrowserConnection } from './get-browser-connection'
