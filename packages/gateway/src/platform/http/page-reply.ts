/** Replies that lead a browser on, for addresses that people and providers open rather than the console calls. */
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** `redirect`: at once. `refresh`: by a page of its own, so that cookies set here are sent with what comes next. `words`: the end of the way, in a window that closes itself where the browser lets it, or the way to `goesOn` for who wants to go on. */
export type PageReply = (
  | { redirect: string }
  | { refresh: string }
  | { words: string; closes?: true; goesOn?: string }
) & {
  /** What was wanted did not happen: counted for addresses that try many. */
  failed?: true;
};

export function isFailure(reply: unknown): boolean {
  return typeof reply === 'object' && reply !== null && 'failed' in reply;
}

/** In the colours of the console, and of the theme it was last in: the page between two of its own must not flash. */
const STYLE = `:root{color-scheme:dark}:root[data-theme=light]{color-scheme:light}:root[data-theme=system]{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:light-dark(#fff,#0b0b0f);color:light-dark(#1a1722,#e7eaf0);
font:15px/1.5 'Ubuntu Sans',Ubuntu,system-ui,sans-serif}main{max-width:420px;padding:32px;text-align:center}p{margin:16px 0 0}a{color:light-dark(#5f35cb,#a48cff)}`;

/** As the console does before it paints. The choice is kept in the browser alone, which may refuse to tell it. */
const THEME =
  "try{const t=localStorage.getItem('theme');if(t==='light'||t==='system')document.documentElement.dataset.theme=t}catch{}";

/** Drawn by attributes: nothing is loaded. */
const MARK =
  '<svg viewBox="0 0 24 24" width="40" height="40" role="img" aria-label="Gatehouse"><path d="M3.25 21.75V11a8.75 8.75 0 0 1 17.5 0v10.75" fill="none" stroke="#8b6cff" stroke-width="2.5"/><path d="M8 23V11.2a4 4 0 0 1 8 0V23z" fill="#6d4ae0"/><path d="M12 13.4v3.2" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>';

const HEAD = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Gatehouse</title><script>${THEME}</script><style>${STYLE}</style>`;

/** Browsers close what a script opened, and nobody's own tab. */
const CLOSE = 'window.close()';

const POLICY = policyFor(THEME);

function policyFor(...scripts: readonly string[]): string {
  const allowed = scripts.map((script) => `'${hashOf(script)}'`).join(' ');
  return `default-src 'none'; style-src '${hashOf(STYLE)}'; script-src ${allowed}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
}

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': POLICY,
} as const;

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

export function sendPage(reply: FastifyReply, page: PageReply): FastifyReply {
  reply.headers(HEADERS);
  if ('redirect' in page) return reply.redirect(page.redirect, 302);
  const html = 'words' in page ? wordsPage(page) : refreshPage(page.refresh);
  if ('words' in page && page.closes) reply.header('content-security-policy', policyFor(THEME, CLOSE));
  return reply.header('content-type', 'text/html; charset=utf-8').send(html);
}

function refreshPage(to: string): string {
  const address = escapeHtml(to);
  return `<!doctype html><html lang="en"><head>${HEAD}<meta http-equiv="refresh" content="0;URL='${address}'"></head><body><main>${MARK}<p><a href="${address}">Continue</a></p></main></body></html>`;
}

function wordsPage({ words, closes, goesOn }: { words: string; closes?: true; goesOn?: string }): string {
  const close = closes ? `<script>${CLOSE}</script>` : '';
  const link = goesOn === undefined ? '' : `<p><a href="${escapeHtml(goesOn)}">Continue</a></p>`;
  const told = words.split("'").map(escapeHtml).join('&#39;');
  return `<!doctype html><html lang="en"><head>${HEAD}</head><body><main>${MARK}<p>${told}</p>${link}</main>${close}</body></html>`;
}

/** What stands inside an attribute ends neither it nor the quotes inside it. */
function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '%27')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
