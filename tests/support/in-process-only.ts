import { inProcess } from './server'

inProcess.open = async input => (await import('./in-process')).openApp(input)
