import { API, allRoutes } from '@gatehouse/contract/api/api';
import { openApiDocument } from '@gatehouse/contract/api/open-api/document';
import { SOCKETS, STREAMS } from '@gatehouse/contract/api/sockets';
import { openApiRoutes } from '@gatehouse/contract/console/open-api-route';
import { DESKTOP_SCRIPTS } from '@gatehouse/contract/kinds/desktop/desktops';
import { call } from '@gatehouse/contract/wire/client';
import { ERROR_STATUS } from '@gatehouse/contract/wire/errors';
import { paramNames } from '@gatehouse/contract/wire/route';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { PASSWORD, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { startTestGateway } from '../../../testing/start-test-gateway.ts';

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; description?: string; schema: Record<string, unknown> }[];
  requestBody?: { content: Record<string, { schema?: { $ref?: string } }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema?: { $ref?: string } }> }>;
  security: Record<string, unknown>[];
}

interface Document {
  info: { description: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { enum?: string[] }>;
    securitySchemes: Record<string, { name?: string; in?: string }>;
    responses: Record<string, { description: string }>;
  };
}

const documentOf = (isSecure = false) => openApiDocument({ version: '1', isSecure }) as unknown as Document;
const operations = ({ paths }: Document) => Object.values(paths).flatMap((path) => Object.values(path));

test.each([false, true])('the document is valid OpenAPI 3.1, with https %s', async (isSecure) => {
  const { valid, errors } = await new Validator().validate(
    structuredClone(openApiDocument({ version: '1', isSecure })),
  );

  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('the document that is served is the one for how it is asked', async () => {
  const gateway = await startTestGateway();
  onTestFinished(() => gateway.close());
  const document = await call(gateway.send, openApiRoutes.document, {});

  expect(document.openapi).toMatch(/^3\.1/);
  expect((document as unknown as Document).components.securitySchemes.session?.name).toBe('session');
});

test('every route of the contract is in the document with its method, parameters and body', () => {
  const { paths } = documentOf();

  for (const { feature, name, route } of allRoutes()) {
    const operation = paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
    expect(operation?.operationId).toBe(`${feature}.${name}`);
    const keys = route.query instanceof z.ZodObject ? Object.keys(route.query.shape) : [];
    const wanted = [...paramNames(route.path), ...keys];
    expect(operation?.parameters.map((parameter) => parameter.name)).toEqual(wanted);
    expect(route.query === undefined || keys.length > 0).toBe(true);
    expect(operation?.requestBody !== undefined).toBe((route.body ?? route.bodyAs) !== undefined);
  }
});

test('every parameter says what it means', () => {
  const silent = operations(documentOf()).flatMap(({ operationId, parameters }) =>
    parameters.filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
  );

  expect(silent).toEqual([]);
});

test('error codes are an enumeration, and every status an operation lists names its codes', () => {
  const document = documentOf();
  const { schemas, responses } = document.components;

  expect(schemas.ErrorCode?.enum).toEqual(Object.keys(ERROR_STATUS));
  for (const [code, status] of Object.entries(ERROR_STATUS))
    expect(responses[`Error${status}`]?.description).toContain(`\`${code}\``);
  for (const operation of operations(document)) {
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '500', '503', 'default']));
    for (const { $ref } of Object.values(operation.responses))
      if ($ref) expect(responses[$ref.split('/').at(-1) ?? '']).toBeDefined();
  }
});

test('bodies and answers in JSON have names, shared where they are the same, and no reference leads nowhere', () => {
  const document = documentOf();
  const text = JSON.stringify(document);
  const anonymous = operations(document).flatMap(({ operationId, requestBody, responses }) =>
    [requestBody?.content, responses['200']?.content]
      .map((content) => content?.['application/json'])
      .filter((json) => json !== undefined && json.schema?.$ref === undefined)
      .map(() => operationId),
  );
  const dead = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)]
    .map(([, name = '']) => name)
    .filter((name) => !Object.hasOwn(document.components.schemas, name));

  expect(anonymous).toEqual([]);
  expect(dead).toEqual([]);
  expect(text).not.toContain('#/$defs/');
  expect(text.match(/schemas\/ActiveSession"/g)?.length).toBeGreaterThan(1);
});

test('cookies have the names they have by HTTP, and those they have by HTTPS', () => {
  const names = (isSecure: boolean) => {
    const { session, csrfCookie } = documentOf(isSecure).components.securitySchemes;
    return [session?.name, csrfCookie?.name];
  };

  expect(names(false)).toEqual(['session', 'grv_csrf']);
  expect(names(true)).toEqual(['__Host-session', '__Host-grv_csrf']);
});

test('somebody who has only the document signs in by password and changes something', async () => {
  const gateway = await startIdentityGateway();
  onTestFinished(() => gateway.close());
  await gateway.addUser('ann');
  const headers = { host: 'localhost:3080' };
  const document = (await gateway.app.inject({ url: '/v1/openapi.json', headers })).json<Document>();
  const find = (id: string) => {
    for (const [url, path] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(path))
        if (operation.operationId === id) return { url, method: method.toUpperCase() as 'POST', ...operation };
    throw new Error(`no operation ${id}`);
  };
  const { session, csrf, csrfCookie } = document.components.securitySchemes;
  const signIn = find('signIn.signIn');
  expect(signIn.security).toEqual([{ csrf: [], csrfCookie: [] }]);
  const [, pageUrl = '', meta = ''] =
    /`GET (\S+)` sets the cookie[^<]*<meta name="([^"]+)"/.exec(document.info.description) ?? [];

  const page = await gateway.app.inject({ url: pageUrl, headers });
  const value = new RegExp(`name="${meta}" content="([^"]+)"`).exec(page.body)?.[1] ?? '';
  const cookie = `${csrfCookie?.name}=${page.cookies.find(({ name }) => name === csrfCookie?.name)?.value}`;
  const own = { ...headers, cookie, [csrf?.name ?? '']: value };
  const payload = { user: 'ann', pass: PASSWORD };
  const signedIn = await gateway.app.inject({ url: signIn.url, method: signIn.method, headers: own, payload });
  expect(signedIn.statusCode).toBe(200);
  const held = signedIn.cookies.find(({ name }) => name === session?.name)?.value;
  const full = {
    ...own,
    cookie: `${cookie}; ${session?.name}=${held}`,
    authorization: `Bearer ${signedIn.json().token}`,
  };
  const renew = find('signIn.renew');
  const renewed = await gateway.app.inject({ url: renew.url, method: renew.method, headers: full, payload: {} });

  expect(renewed.statusCode).toBe(200);
});

test('every route that the gateway serves under /v1 is in the contract', async () => {
  const gateway = await startTestGateway();
  const known = new Set<string>([
    ...allRoutes().map(({ route }) => route.path),
    ...SOCKETS,
    ...STREAMS,
    ...Object.values(DESKTOP_SCRIPTS),
  ]);
  const served = servedPaths(gateway.app.printRoutes({ commonPrefix: false })).filter((path) =>
    path.startsWith('/v1/'),
  );
  await gateway.close();

  expect(served.length).toBeGreaterThanOrEqual(Object.keys(API).length);
  expect(served.filter((path) => !known.has(path))).toEqual([]);
});

/** Fastify prints its routes as a tree; each line continues the path of the one above it. */
function servedPaths(tree: string): string[] {
  const trail: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const part = /^(.*?)── (\S+) \(/.exec(line);
    if (!part) return [];
    const depth = ((part[1] as string).length - 1) / 4;
    trail.splice(depth, Number.POSITIVE_INFINITY, part[2] as string);
    return [trail.join('')];
  });
}
