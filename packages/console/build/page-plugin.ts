/** Completes the built page: the script before the first paint, and the fonts fetched early. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HtmlTagDescriptor, type Plugin, transformWithOxc } from 'vite';

const FIRST_PAINT = 'src/first-paint.ts';
/** What the login page and the shell are set in; other weights and alphabets come when a page asks for them. */
const EARLY_FONT = /ubuntu-latin-(400|500)-normal-[^/]*\.woff2$/;

export function pagePlugin(): Plugin {
  let root = '';
  let base = '';
  return {
    name: 'gatehouse-page',
    apply: 'build',
    configResolved(config) {
      root = config.root;
      base = config.base;
    },
    async buildStart() {
      const file = join(root, FIRST_PAINT);
      const { code } = await transformWithOxc(await readFile(file, 'utf8'), file);
      // A classic script knows no `export`, which the compiler wants so that the file is a module.
      const source = code.replace(/export\s*\{\s*\};?/, '').replace(/\/\*\*?[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      this.emitFile({ type: 'asset', name: 'first-paint.js', source: source.replace(/\s+/g, ' ').trim() });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }): HtmlTagDescriptor[] {
        const files = Object.keys(bundle);
        const fonts = files.filter((file) => EARLY_FONT.test(file));
        const scripts = files.filter((file) => /first-paint-[^/]*\.js$/.test(file));
        return [
          ...scripts.map((file) => tag('script', { src: base + file })),
          ...fonts.map((file) => tag('link', { rel: 'preload', as: 'font', href: base + file, crossorigin: true })),
        ];
      },
    },
  };
}

function tag(name: string, attrs: Record<string, string | boolean>): HtmlTagDescriptor {
  return { tag: name, attrs, injectTo: 'head-prepend' };
}
