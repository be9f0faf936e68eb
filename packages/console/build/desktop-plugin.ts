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
/** What it sends goes through one of these, which can only be read later: keys would wait for it, and overtake each other. */
const BLOB =
  /(_with_u8_array_sequence_\w+: function\(\) \{\s+return \w+\(function\((\w+)\) \{\s+return )new Blob\(\2\)/g;

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
      const blobs = code.match(BLOB)?.length ?? 0;
      // Another version of the client: without this it would fail in the browser only.
      if (!wasm?.[1] || others.length > 0 || sockets !== 1 || blobs !== 1) {
        const found = `${others.length + (wasm ? 1 : 0)} wasm, ${sockets} sockets and ${blobs} ways to send`;
        throw new Error(`the client of desktops has ${found}, not one of each`);
      }
      let changed = code.replace(SOCKET, '__openPageSocket(').replace(BLOB, '$1__joinBytes($2)');
      if (isBuild) {
        const source = Buffer.from(wasm[1], 'base64');
        const reference = this.emitFile({ type: 'asset', name: 'desktop-client.wasm', source });
        changed = changed.replace(wasm[0], `import.meta.ROLLUP_FILE_URL_${reference}`);
      }
      const names = 'openPageSocket as __openPageSocket, joinBytes as __joinBytes';
      return { code: `import { ${names} } from ${JSON.stringify(HELPER)};\n${changed}`, map: null };
    },
  };
}
