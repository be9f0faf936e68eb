/** The pages the gateway itself shows on an application's host: a card that says what is the matter. No scripts, nothing loaded. */
import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { ClientResponse } from '../../reach/http/proxy-request.ts';

export interface AppPage {
  status: number;
  title: string;
  message: string;
  /** What to do about it. */
  next?: string | undefined;
  /** Where the button leads. */
  link?: { url: string; text: string } | undefined;
  /** Where the console tries it step by step. */
  test?: string | undefined;
  /** Where the console is, for the way back. */
  console?: string | undefined;
}

const STYLE = `
:root{color-scheme:dark;--page:light-dark(#f4f5f8,#0e1116);--card:light-dark(#fff,#171b22);--line:light-dark(#dfe2e8,#2a303a);
--text:light-dark(#1c2430,#e7eaf0);--quiet:light-dark(#5a6577,#9aa5b5);--accent:light-dark(#5b3fd6,#a48cff);--on:light-dark(#fff,#14101f)}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:16px;background:var(--page);color:var(--text);
font:15px/1.5 'Ubuntu Sans',Ubuntu,system-ui,sans-serif}.mark{display:block;margin:0 0 16px}main{width:100%;max-width:540px;background:var(--card);border:1px solid var(--line);
border-radius:12px;padding:32px;overflow-wrap:anywhere}h1{margin:0 0 12px;font-size:22px;line-height:1.25}p{margin:0 0 12px;color:var(--quiet)}
p.why{color:var(--text)}a{display:inline-block;margin-top:8px;padding:9px 16px;border-radius:8px;background:var(--accent);color:var(--on);
text-decoration:none;font-weight:500}a.back{margin-left:8px;background:none;color:var(--accent)}a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}`;

/** The mark of the console, drawn by attributes: nothing is loaded, and no style is written into an element. */
const MARK =
  '<svg class="mark" viewBox="0 0 24 24" width="32" height="32" role="img" aria-label="Gatehouse"><path d="M3.25 21.75V11a8.75 8.75 0 0 1 17.5 0v10.75" fill="none" stroke="#8b6cff" stroke-width="2.5"/><path d="M8 23V11.2a4 4 0 0 1 8 0V23z" fill="#6d4ae0"/><path d="M12 13.4v3.2" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>';

const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

export function sendPage(response: ClientResponse, page: AppPage, isPage: boolean): void {
  const { headers, body } = render(page, isPage);
  response.writeHead(page.status, headers);
  if (response.req?.method === 'HEAD') response.end();
  else response.end(body);
}

/** The same as the bytes of a whole answer. */
export function rawPage(page: AppPage, isPage: boolean, method: string): string {
  const { headers, body } = render(page, isPage);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${page.status} ${STATUS_CODES[page.status] ?? ''}\r\n${lines.join('')}connection: close\r\n\r\n${method === 'HEAD' ? '' : body}`;
}

function render(
  { title, message, next, link, test, console }: AppPage,
  isPage: boolean,
): { headers: Record<string, string>; body: string } {
  const body = isPage
    ? `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style><main>${MARK}<h1>${escaped(title)}</h1><p class="why">${escaped(sentence(message))}</p>${next ? `<p>${escaped(sentence(next))}</p>` : ''}${link ? `<a href="${escaped(link.url)}">${escaped(link.text)}</a>` : ''}${test ? `<a class="back" href="${escaped(test)}">Test connection</a>` : ''}${console ? `<a class="back" href="${escaped(console)}/web">Back to the console</a>` : ''}</main></html>\n`
    : `${title}: ${message}\n`;
  const headers = {
    'cache-control': 'no-store',
    'content-security-policy': POLICY,
    'referrer-policy': 'strict-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-type': isPage ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  };
  return { headers, body };
}

/** The same on a connection that wanted to change its protocol. */
export function rawAnswer({ status, title, message }: AppPage, headers = ''): string {
  const body = `${title}: ${message}\n`;
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: text/plain; charset=utf-8\r\ncache-control: no-store\r\ncontent-security-policy: ${POLICY}\r\nx-content-type-options: nosniff\r\nx-frame-options: DENY\r\n${headers}connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Reasons are kept as parts of a sentence; on a card they stand alone. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function escaped(text: string): string {
  // Control characters and those that turn the direction of writing are shown as nothing.
  return text.replaceAll(/[&<>"']|\p{Cc}|\p{Bidi_Control}/gu, (character) => NAMED[character] ?? ' ');
}
