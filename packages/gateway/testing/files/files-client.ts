/** Uses files as the console does, over a real connection where bytes are concerned. */
import type { AddressInfo } from 'node:net';
import { fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { call } from '@gatehouse/contract/wire/client';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import type { FastifyInstance } from 'fastify';
import type { TestBrowser } from '../test-browser.ts';

export interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: BodyInit | ReadableStream;
  signal?: AbortSignal;
}

export interface FilesClient {
  id: string;
  home: string;
  list(path: string): Promise<string[]>;
  /** As a browser with its cookie and bearer. */
  raw(url: string, request?: RawRequest): Promise<Response>;
  read(path: string, headers?: Record<string, string>): Promise<Response>;
  write(query: UploadQuery, body: BodyInit | ReadableStream, signal?: AbortSignal): Promise<Response>;
  progress(query: Pick<UploadQuery, 'folder' | 'name' | 'upload'>): Promise<number>;
  params: { clusterId: string; fileSession: string };
}

export interface UploadQuery {
  folder: string;
  name: string;
  upload: string;
  size: number;
  offset?: number;
  replace?: 'true' | 'false';
}

const site = { clusterId: '-current-' };

export async function openFiles(
  app: FastifyInstance,
  browser: TestBrowser,
  { server, login }: { server: string; login: string },
): Promise<FilesClient> {
  const { id, home } = await call(browser.send, fileRoutes.open, { params: site, body: { server, login } });
  const raw = rawSend(app, browser);
  const params = { ...site, fileSession: id };
  return {
    id,
    home,
    raw,
    params,
    list: async (path) =>
      (await call(browser.send, fileRoutes.list, { params, query: { path } })).entries.map(({ name }) => name),
    read: (path, headers = {}) => raw(pathFor(fileRoutes.read.path, params) + queryString({ path }), { headers }),
    write: (query, body, signal) =>
      raw(pathFor(fileRoutes.write.path, params) + queryString({ ...query }), {
        method: 'PUT',
        body,
        headers: { 'content-type': 'application/octet-stream' },
        ...(signal ? { signal } : {}),
      }),
    progress: async (query) => (await call(browser.send, fileRoutes.progress, { params, query })).offset,
  };
}

export function rawSend(app: FastifyInstance, browser: TestBrowser) {
  const { port } = app.server.address() as AddressInfo;
  return (url: string, { method = 'GET', headers = {}, body, signal }: RawRequest = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${url}`, {
      method,
      headers: {
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        authorization: `Bearer ${browser.bearer}`,
        'x-csrf-token': browser.cookies.get('grv_csrf') ?? '',
        ...headers,
      },
      ...(body === undefined ? {} : { body: body as BodyInit, duplex: 'half' }),
      ...(signal ? { signal } : {}),
    } as RequestInit);
}
