/**
 * Fits the client of remote desktops into our page: its wasm becomes a file of its own (inlined it is 6 MB of JavaScript, and the page's
 * policy does not let it be fetched), and the socket it opens is one of ours.
 */
import { join } from 'node:path';
import type { Plugin } from 'vite';

const CLIENT = /@devolutions\/iron-remote-desktop-rdp\/iron-remote-desktop-rdp\.js$/;
const HELPER = join(import.meta.dirname, '../src/shared/desktop-picture/page-socket.ts');
const WASM = /"data:application\/wasm;base64,([A-Za-z0-9+/=]+)"/g;
const SOCKET = /\bnew WebSocket\(/g;

export function desktopPlugin(): Plugin {
  let isBuild = false;
  return {
    name: 'gatehouse-desktop',
    enforce: 'pre',
    // Bundled ahead of us by the development server it would be out of reach.
    config: () => ({ optimizeDeps: { exclude: ['@devolutions/iron-remote-desktop-rdp'] } }),
    configResolved(config) {
      isBuild = config.command === 'build';
    },
    transform(code, id) {
      if (!CLIENT.test(id.split('?')[0] as string)) return undefined;
      const [wasm, ...others] = [...code.matchAll(WASM)];
      const sockets = code.match(SOCKET)?.length ?? 0;
      // Another version of the client: without this it would fail in the browser only.
      if (!wasm?.[1] || others.length > 0 || sockets !== 1)
        throw new Error(
          `the client of desktops has ${others.length + (wasm ? 1 : 0)} wasm and ${sockets} sockets, not one of each`,
        );
      let changed = code.replace(SOCKET, '__openPageSocket(');
      if (isBuild) {
        const source = Buffer.from(wasm[1], 'base64');
        const reference = this.emitFile({ type: 'asset', name: 'desktop-client.wasm', source });
        changed = changed.replace(wasm[0], `import.meta.ROLLUP_FILE_URL_${reference}`);
      }
      const names = 'openPageSocket as __openPageSocket';
      return { code: `import { ${names} } from ${JSON.stringify(HELPER)};\n${changed}`, map: null };
    },
  };
}
