/** Serves and builds the gallery; the components themselves are imported as sources and need no build. */

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  server: { host: '127.0.0.1', open: false },
  build: { rollupOptions: { input: 'gallery.html' }, outDir: 'dist', emptyOutDir: true },
});
