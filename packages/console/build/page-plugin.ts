/** Completes the built page: the script before the first paint, and what is fetched early: fonts, and the shell of private pages. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_LINKS } from '@gatehouse/contract/console/page-tags';
import { type HtmlTagDescriptor, type Plugin, type Rolldown, transformWithOxc } from 'vite';

/** The chunk of build/chunks.ts that every private page begins with. */
const SHELL = 'shell';
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
      handler(html, { bundle = {} }) {
        const files = Object.keys(bundle);
        const fonts = files.filter((file) => EARLY_FONT.test(file));
        const scripts = files.filter((file) => /first-paint-[^/]*\.js$/.test(file));
        const shell = filesOf(SHELL, bundle).filter((file) => !html.includes(file));
        const links = [PRIVATE_LINKS.begin, ...shell.map((file) => link(base + file)), PRIVATE_LINKS.end];
        return {
          html: html.replace('</head>', `  ${links.join('')}\n  </head>`),
          tags: [
            ...scripts.map((file) => tag('script', { src: base + file })),
            ...fonts.map((file) => tag('link', { rel: 'preload', as: 'font', href: base + file, crossorigin: true })),
          ],
        };
      },
    },
  };
}

/** Files of the chunk with this name, and of all that it imports. */
function filesOf(name: string, bundle: Rolldown.OutputBundle): string[] {
  const found = new Set<string>();
  const visit = (file: string) => {
    const chunk = bundle[file];
    if (found.has(file) || chunk?.type !== 'chunk') return;
    found.add(file);
    for (const imported of chunk.imports) visit(imported);
    for (const css of chunk.viteMetadata?.importedCss ?? []) found.add(css);
  };
  const start = Object.values(bundle).find((output) => output.type === 'chunk' && output.name === name);
  if (!start) throw new Error(`the build has no chunk '${name}'`);
  visit(start.fileName);
  return [...found];
}

function link(href: string): string {
  return `<link rel="${href.endsWith('.css') ? 'stylesheet' : 'modulepreload'}" crossorigin href="${href}">`;
}

function tag(name: string, attrs: Record<string, string | boolean>): HtmlTagDescriptor {
  return { tag: name, attrs, injectTo: 'head-prepend' };
}
