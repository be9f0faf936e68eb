/** Lets xterm keep to our Content Security Policy: it writes style elements and style attributes, which `style-src 'self'` forbids. */
import { join } from 'node:path';
import type { Plugin } from 'vite';

const XTERM = /@xterm\/xterm\/lib\/xterm\.mjs$/;
const HELPER = join(import.meta.dirname, '../src/sessions/terminal/screen/xterm-styles.ts');

/** What stands in the pinned version, how often, and what takes its place. */
const CHANGES = [
  { found: /\b[\w.]+\.createElement\("style"\)/g, times: 3, put: '__xtermStyleElement()' },
  {
    found: /(\w+)\.setAttribute\("style",`\$\{\1\.getAttribute\("style"\)\|\|""\}\$\{(\w+)\};`\)/g,
    times: 1,
    put: '__xtermAddStyle($1,$2)',
  },
];

export function xtermPlugin(): Plugin {
  return {
    name: 'gatehouse-xterm',
    // Bundled ahead of us by the development server it would be out of reach.
    config: () => ({ optimizeDeps: { exclude: ['@xterm/xterm'] } }),
    transform(code, id) {
      if (!XTERM.test(id.split('?')[0] as string)) return undefined;
      let changed = code;
      for (const { found, times, put } of CHANGES) {
        const count = changed.match(found)?.length ?? 0;
        // Another version of xterm: without this it would fail in the browser only, and only without WebGL.
        if (count !== times) throw new Error(`xterm has ${count} places like ${found}, not ${times}`);
        changed = changed.replaceAll(found, put);
      }
      const names = 'styleElement as __xtermStyleElement, addStyle as __xtermAddStyle';
      return { code: `import { ${names} } from ${JSON.stringify(HELPER)};\n${changed}`, map: null };
    },
  };
}
