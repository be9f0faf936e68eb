/** A browser for tests: keeps cookies, reads the page's tags, and sends what the console sends. */

import { BEARER_META, CSRF_META } from '@gatehouse/contract/console/page-tags';
import { type SignInReply, signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { call, type Send } from '@gatehouse/contract/wire/client';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';

export interface TestBrowser {
  /** Loads the page: gets the CSRF token and, when the cookie is good, the bearer. Gives what the bearer tag holds. */
  open(): Promise<SignInReply | undefined>;
  send: Send;
  /** Opens an address as a page: with cookies, and without what the console adds. */
  visit(
    url: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string; location: string | undefined }>;
  /** The same without what a test takes away or puts in. */
  sendWith(headers: Record<string, string | undefined>): Send;
  signIn(user: string, pass: string, code?: string): Promise<SignInReply>;
  renew(body?: { requestId?: string; switchback?: boolean; reloadUser?: boolean }): Promise<SignInReply>;
  cookies: Map<string, string>;
  bearer: string | undefined;
}

export function testBrowser(
  app: FastifyInstance,
  { address = '127.0.0.1', host = 'localhost:3080' } = {},
): TestBrowser {
  const cookies = new Map<string, string>();
  let csrf = '';

  const inject = async (
    request: { method: string; url: string; body?: string },
    over: Record<string, string | undefined>,
  ) => {
    const headers: Record<string, string | undefined> = {
      host,
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
      ...(cookies.size > 0 ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {}),
      ...(browser.bearer ? { authorization: `Bearer ${browser.bearer}` } : {}),
      ...(request.method === 'GET' ? {} : { origin: `http://${host}`, 'x-csrf-token': csrf }),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...over,
    };
    const response = await app.inject({
      method: request.method as 'GET',
      url: request.url,
      remoteAddress: address,
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
      ...(request.body === undefined ? {} : { payload: request.body }),
    });
    keepCookies(response);
    return response;
  };

  const keepCookies = (response: LightMyRequestResponse) => {
    for (const { name, value } of response.cookies) {
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
  };

  const browser: TestBrowser = {
    cookies,
    bearer: undefined,
    sendWith: (over) => async (request) => {
      const response = await inject(request, over);
      return { status: response.statusCode, text: response.body };
    },
    send: (request) => browser.sendWith({})(request),
    async visit(url, headers = {}) {
      const response = await inject({ method: 'GET', url }, { ...headers, authorization: undefined });
      return { status: response.statusCode, text: response.body, location: response.headers.location };
    },
    async open() {
      const { body } = await inject({ method: 'GET', url: '/web' }, {});
      csrf = metaIn(body, CSRF_META) ?? '';
      const encoded = metaIn(body, BEARER_META);
      const reply: SignInReply | undefined = encoded
        ? JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'))
        : undefined;
      browser.bearer = reply?.token;
      return reply;
    },
    async signIn(user, pass, code) {
      if (csrf === '') await browser.open();
      const body = { user, pass, ...(code === undefined ? {} : { second_factor_token: code }) };
      const reply = await call(browser.send, signInRoutes.signIn, { body });
      browser.bearer = reply.token;
      return reply;
    },
    async renew(body = {}) {
      const reply = await call(browser.send, signInRoutes.renew, { body });
      browser.bearer = reply.token;
      return reply;
    },
  };
  return browser;
}

function metaIn(html: string, name: string): string | undefined {
  return new RegExp(`<meta name="${name}" content="([^"]*)"`).exec(html)?.[1] || undefined;
}
