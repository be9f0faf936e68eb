/** Serves and builds the gallery; the components themselves are imported as sources and need no build. */

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The built gallery is served under a policy as strict as the product's, so that a component that breaks it shows here. */
const POLICY = "default-src 'self'; style-src 'self'; script-src 'self'; img-src 'self' data:; object-src 'none'";

export default defineConfig({
  plugins: [react()],
  server: { host: '127.0.0.1', open: false },
  preview: { host: '127.0.0.1', headers: { 'Content-Security-Policy': POLICY } },
  build: {
    // Older targets rewrite light-dark() into twice as many rules.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rollupOptions: { input: 'gallery.html' },
    outDir: 'dist',
    emptyOutDir: true,
  },
});
