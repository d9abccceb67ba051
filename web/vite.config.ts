import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  build: {
    // Browsers of the last two years; with an older target every light-dark() would be rewritten.
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    assetsInlineLimit: 0, // a small file as a data: address would not pass the content security policy
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
