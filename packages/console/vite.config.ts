/** How the console is built and, for people who develop it, served beside a running gateway. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkGroups } from './build/chunks.ts';
import { desktopPlugin } from './build/desktop-plugin.ts';
import { devPagePlugin } from './build/dev-page-plugin.ts';
import { novncPlugin } from './build/novnc-plugin.ts';
import { pagePlugin } from './build/page-plugin.ts';
import { routesPlugin } from './build/routes-plugin.ts';
import { wordsPlugin } from './build/words-plugin.ts';
import { xtermPlugin } from './build/xterm-plugin.ts';
import { zodPlugin } from './build/zod-plugin.ts';

const gateway = process.env.GATEHOUSE_DEV_GATEWAY ?? 'http://127.0.0.1:3080';

export default defineConfig({
  base: '/web/app/',
  plugins: [
    react(),
    wordsPlugin(),
    xtermPlugin(),
    desktopPlugin(),
    novncPlugin(),
    zodPlugin(),
    routesPlugin(),
    pagePlugin(),
    devPagePlugin(gateway),
  ],
  server: {
    host: '127.0.0.1',
    port: 3081,
    proxy: { '/v1': { target: gateway, ws: true }, '/web/config.js': gateway, '/scripts': gateway },
  },
  build: {
    outDir: 'dist',
    manifest: true,
    target: 'es2024',
    // Themes stand on light-dark(); older targets would have it written out into twice the size.
    cssTarget: ['chrome125', 'firefox125', 'safari17.5'],
    modulePreload: { polyfill: false },
    // The page's policy lets nothing be inlined but pictures.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: { codeSplitting: { groups: chunkGroups() } },
      // Schemas that a page does not use must not carry zod into it. `__name` is how Radix is built to keep the names of its functions:
      // taken for an effect, it would keep the functions too that nobody calls.
      treeshake: { manualPureFunctions: ['z', 'defineRoutes', '__name'] },
    },
  },
});
