/** The single page of the console, its configuration and its static files. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { PageConfigSent } from '@gatehouse/contract/console/page-config';
import { BUILD_META, PAGE_CONFIG_VARIABLE, PRIVATE_LINKS } from '@gatehouse/contract/console/page-tags';
import { allowsWasm, matchPage, PAGES } from '@gatehouse/contract/console/pages';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ensureCsrfToken } from '../../platform/http/csrf.ts';
import { sendError } from '../../platform/http/error-hook.ts';

export interface PageDeps {
  /** The folder the console was built into. */
  consoleDir: string;
  pageConfig(): Promise<PageConfigSent>;
  /** The sign-in reply for a browser whose session cookie is valid: this is how its token reaches the console. */
  pageSignIn(request: FastifyRequest, reply: FastifyReply): Promise<object | undefined>;
}

const PAGE_POLICY = [
  "default-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
].join('; ');

/** Of pages that draw remote desktops. Text of a host or a recording is still no script: only what we serve may compile. */
const WASM_POLICY = PAGE_POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'");

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': PAGE_POLICY,
  // The page holds a token: no cache between us and the browser may keep it.
  'cache-control': 'no-store',
  vary: 'Cookie',
} as const;

export async function servePage(app: FastifyInstance, deps: PageDeps): Promise<void> {
  const { consoleDir } = deps;
  const privateTemplate = withBuild(readTemplate(consoleDir));
  const publicTemplate = withoutPrivateLinks(privateTemplate);

  app.get('/', (_, reply) => reply.redirect('/web', 302));
  app.get('/web/config.js', async (_, reply) => {
    const json = JSON.stringify(await deps.pageConfig()).replaceAll('<', '\\u003c');
    return reply
      .header('content-type', 'application/javascript; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(`var ${PAGE_CONFIG_VARIABLE} = ${json};\n`);
  });
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(PAGE_HEADERS);
    const csrf = ensureCsrfToken(request, reply);
    // Whoever only asks for the head gets no token, and none is made.
    const signIn = request.method === 'HEAD' ? undefined : await deps.pageSignIn(request, reply);
    // Who is not signed in is about to see the login page, whatever address was asked for.
    const template = signIn && isPrivate(request.url) ? privateTemplate : publicTemplate;
    if (signIn && allowsWasm(pathOf(request.url))) reply.header('content-security-policy', WASM_POLICY);
    const bearer = signIn ? Buffer.from(JSON.stringify(signIn)).toString('base64') : '';
    return reply.send(template.replace('__CSRF_TOKEN__', csrf).replace('__BEARER_TOKEN__', bearer));
  };
  app.get('/web', page);
  app.get('/web/*', page);

  if (existsSync(consoleDir)) {
    await app.register(fastifyStatic, {
      root: consoleDir,
      // By a route of ours: its own reads the whole folder for each file, which costs more than the file does.
      serve: false,
      // Names carry a hash of their content, so what is there never changes.
      maxAge: '365d',
      immutable: true,
      index: false,
      dotfiles: 'ignore',
      preCompressed: true,
    });
    app.get<{ Params: { '*': string } }>('/web/app/*', ({ params }, reply) => reply.sendFile(`/${params['*']}`));
  } else {
    app.get('/web/app/*', (request, reply) => sendError(request, reply, 'not_found', 'the console is not built'));
  }
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] as string;
}

function isPrivate(url: string): boolean {
  const page = matchPage(pathOf(url));
  return page !== undefined && PAGES[page.name].access === 'private';
}

function withoutPrivateLinks(template: string): string {
  const [before = '', ...parts] = template.split(PRIVATE_LINKS.begin);
  return before + parts.map((part) => part.slice(part.indexOf(PRIVATE_LINKS.end) + PRIVATE_LINKS.end.length)).join('');
}

/** Which build of the console is served: its page names every first file by a hash of its content. */
export function consoleBuild(consoleDir: string): string {
  return buildOf(readTemplate(consoleDir));
}

function buildOf(template: string): string {
  return createHash('sha256').update(template).digest('hex').slice(0, 16);
}

/** In the page itself: what is asked for later might already come from the next gateway. */
function withBuild(template: string): string {
  return template.replace('</head>', `<meta name="${BUILD_META}" content="${buildOf(template)}" /></head>`);
}

function readTemplate(consoleDir: string): string {
  const file = join(consoleDir, 'index.html');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  return '<!doctype html><title>Gatehouse</title><p>The console is not built. Run <code>npm run build</code> and start again.</p>';
}
