/** Every route of the contract that names a cluster: handlers hear of the own one by its name, and of no other. */

import { API, allRoutes, type Feature } from '@gatehouse/contract/api/api';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { paramNames, pathFor } from '@gatehouse/contract/wire/route';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { localActor } from '../../identity/sign-in/local-actor.ts';
import type { Caller } from './actor.ts';
import { bindApi, type FeatureHandlers } from './bind-api.ts';
import { installErrorHook } from './error-hook.ts';
import { createFailureLimit } from './failure-limit.ts';
import { createProofLimit } from './proof-limit.ts';
import { createRateLimit } from './rate-limit.ts';

const UNLIMITED = { burst: Number.POSITIVE_INFINITY, perMinute: 0 };

const routes = allRoutes()
  .filter(({ route }) => paramNames(route.path).includes('clusterId'))
  .map(({ route }) => ({ title: `${route.method} ${route.path}`, route }));

/** What handlers were called with. */
let heard: { cluster: string | undefined; params: Record<string, string> }[];
let app: FastifyInstance;

beforeAll(async () => {
  const handler = async ({ cluster, params }: (typeof heard)[number]) => {
    heard.push({ cluster, params });
    return {};
  };
  const handlers = Object.fromEntries(
    Object.entries(API).map(([feature, of]) => [
      feature,
      Object.fromEntries(Object.keys(of).map((name) => [name, handler])),
    ]),
  );
  app = Fastify();
  installErrorHook(app);
  bindApi(app, handlers as unknown as FeatureHandlers<Feature>, {
    clusterName: 'home',
    authenticate: async () => localActor(),
    callerOf: () => ({}) as Caller,
    rateLimit: createRateLimit(() => 0, UNLIMITED),
    wideRateLimit: createRateLimit(() => 0, UNLIMITED),
    failureLimit: createFailureLimit(() => 0),
    proofLimit: createProofLimit(() => 0),
    checkReplies: false,
  });
  await app.ready();
});
beforeEach(() => {
  heard = [];
});
afterAll(() => app.close());

function ask(route: (typeof routes)[number]['route'], clusterId: string) {
  const params = paramNames(route.path).map((name) => [name, name === 'clusterId' ? clusterId : 'x1']);
  return app.inject({ method: route.method, url: pathFor(route.path, Object.fromEntries(params)) });
}

test.each(routes)('$title: another cluster is not found, before anything is read or done', async ({ route }) => {
  const response = await ask(route, 'elsewhere');

  const told = { code: response.json().error.code, message: response.json().message };
  if (route.path === clusterRoutes.context.path)
    expect(told).toEqual({ code: 'bad_request', message: "the user context is only known to cluster 'home'" });
  else expect(told).toEqual({ code: 'not_found', message: "cluster 'elsewhere' not found" });
  expect(heard).toEqual([]);
});

test.each(['home', '-current-'])('handlers hear of the own cluster by its name when it is asked as %s', async (id) => {
  for (const { route } of routes) await ask(route, id);

  // Calls that want a body or a query were refused for lack of it.
  expect(heard.length).toBeGreaterThan(20);
  expect(new Set(heard.map(({ cluster }) => cluster))).toEqual(new Set(['home']));
  expect(heard.filter(({ params }) => 'clusterId' in params)).toEqual([]);
});

test('a call that names no cluster has none', async () => {
  await app.inject({ method: 'GET', url: clusterRoutes.sites.path });

  expect(heard).toEqual([{ cluster: undefined, params: {} }]);
});
