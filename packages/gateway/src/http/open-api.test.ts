import { API, allRoutes } from '@gatehouse/contract/api';
import { call } from '@gatehouse/contract/client';
import { openApiDocument } from '@gatehouse/contract/open-api';
import { openApiRoutes } from '@gatehouse/contract/shell/open-api-route';
import { SOCKETS } from '@gatehouse/contract/sockets';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { startTestGateway } from '../testing/start-test-gateway.ts';

test('the document that is served is valid OpenAPI 3.1', async () => {
  const gateway = await startTestGateway();
  const document = await call(gateway.send, openApiRoutes.document, {});
  await gateway.close();

  const { valid, errors } = await new Validator().validate(document);

  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(document.openapi).toMatch(/^3\.1/);
});

test('every route of the contract is in the document with its method, parameters and body', () => {
  const paths = openApiDocument('1').paths as Record<
    string,
    Record<string, { operationId: string; requestBody?: object }>
  >;

  for (const { feature, name, route } of allRoutes()) {
    const operation = paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
    expect(operation?.operationId).toBe(`${feature}.${name}`);
    expect(operation?.requestBody !== undefined).toBe((route.body ?? route.bodyAs) !== undefined);
  }
});

test('every route that the gateway serves under /v1 is in the contract', async () => {
  const gateway = await startTestGateway();
  const known = new Set<string>([...allRoutes().map(({ route }) => route.path), ...SOCKETS]);
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
