/** Development only: serves our page under /web with the tokens that the running gateway would print into it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** The address that Vite prints. */
const PRINTED = '/web/app/';
const OTHERS = /^\/web\/(app\/|config\.js)/;

export function devPagePlugin(gateway: string): Plugin {
  return {
    name: 'gatehouse-dev-page',
    apply: 'serve',
    configureServer(server) {
      server.middlewares.use(async (request, response, next) => {
        const url = request.originalUrl ?? '';
        if (url === PRINTED) return response.writeHead(302, { location: '/web' }).end();
        if (request.method !== 'GET' || !/^\/web(\/|\?|$)/.test(url) || OTHERS.test(url)) return next();
        try {
          const headers = { cookie: request.headers.cookie ?? '' };
          const served = await fetch(new URL(url, gateway), { headers });
          const page = await served.text();
          const template = await readFile(join(server.config.root, 'index.html'), 'utf8');
          const html = await server.transformIndexHtml('/index.html', template, url);
          response.setHeader('content-type', 'text/html; charset=utf-8');
          response.setHeader('set-cookie', served.headers.getSetCookie());
          response.end(
            html
              .replace('__CSRF_TOKEN__', metaContent(page, 'grv_csrf_token'))
              .replace('__BEARER_TOKEN__', metaContent(page, 'grv_bearer_token')),
          );
        } catch (error) {
          response.statusCode = 502;
          response.end(`The gateway at ${gateway} does not answer: ${String(error)}. Start it, then reload.`);
        }
      });
    },
  };
}

function metaContent(page: string, name: string): string {
  return new RegExp(`<meta name="${name}" content="([^"]*)"`).exec(page)?.[1] ?? '';
}
