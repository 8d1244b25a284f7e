// Without the fonts that VitePress would bring: pages are set in the system's own.
export { default } from 'vitepress/theme-without-fonts'
import './style.css'
