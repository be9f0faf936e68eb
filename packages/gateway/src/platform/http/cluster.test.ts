/** Every route of the contract that names a cluster: handlers hear of the own one by its name, and of no other. */

import { API, allRoutes, type Feature } from '@gatehouse/contract/api/api';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { paramNames, pathFor } from '@gatehouse/contract/wire/route';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { localActor } from '../../identity/sign-in/local-actor.ts';
import type { Actor, Caller } from './actor.ts';
import { bindApi, type FeatureHandlers } from './bind-api.ts';
import { type Clusters, type ForwardedCall, forwardedUrl, onlyCluster } from './cluster.ts';
import { installErrorHook } from './error-hook.ts';
import { createFailureLimit } from './failure-limit.ts';
import { createProofLimit } from './proof-limit.ts';
import { createRateLimit } from './rate-limit.ts';

const UNLIMITED = { burst: Number.POSITIVE_INFINITY, perMinute: 0 };

const routes = allRoutes()
  .filter(({ route }) => paramNames(route.path).includes('clusterId'))
  .map(({ route }) => ({ title: `${route.method} ${route.path}`, route }));

/** What was handed over to the leaf, and whether its body was still unread. */
let forwarded: { url: string; by: string; isUnread: boolean }[];
const own = onlyCluster('home');
const clusters: Clusters = {
  ...own,
  hasLeaves: () => true,
  async find(clusterId, actor) {
    if (clusterId !== 'east' || !actor) return own.find(clusterId, actor);
    const forward = async ({ request, reply, url }: ForwardedCall, { username }: Actor) => {
      forwarded.push({ url, by: username, isUnread: request.body === undefined });
      await reply.send('from the leaf');
    };
    return {
      is: 'leaf',
      name: 'east',
      leaf: {
        forward,
        forwardSocket: async () => {},
        vouch: () => 'a word',
        openSocket: async () => {
          throw new Error('not asked for');
        },
      },
    };
  },
};

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
    clusters,
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
  forwarded = [];
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

test.each(routes)('$title: a leaf is handed the call whole, by its own name for itself', async ({ route }) => {
  const response = await ask(route, 'east');

  expect(heard).toEqual([]);
  // Nobody in particular is nobody a leaf could be told of.
  if (route.auth === 'public') expect(response.json().message).toBe("cluster 'east' not found");
  else {
    expect(response.body).toBe('from the leaf');
    const params = paramNames(route.path).map((name) => [name, name === 'clusterId' ? '-current-' : 'x1']);
    expect(forwarded).toMatchObject([{ url: pathFor(route.path, Object.fromEntries(params)), isUnread: true }]);
  }
});

test.each([
  ['/v1/sites/east/nodes/web%2F1?a=1&b=%20', '/v1/sites/-current-/nodes/web%2F1?a=1&b=%20'],
  ['/v1/sites/east/nodes/web%2F1', '/v1/sites/-current-/nodes/web%2F1'],
  ['/v1/sites/east/nodes/web%2F1?', '/v1/sites/-current-/nodes/web%2F1'],
  ['/v1/sites/east/nodes/web%2F1?a=?&b#c', '/v1/sites/-current-/nodes/web%2F1?a=?&b'],
  ['http://x/v1/sites/east/nodes/web%2F1?access_token=s&a=1', '/v1/sites/-current-/nodes/web%2F1?a=1'],
  ['/v1/sites/east/nodes/web%2F1?a=1&%61ccess_token=s', '/v1/sites/-current-/nodes/web%2F1?a=1'],
  ['/v1/sites/east/nodes/web%2F1?access_token', '/v1/sites/-current-/nodes/web%2F1'],
  ['/v1/sites/east/nodes/web%2F1?a=%ff', '/v1/sites/-current-/nodes/web%2F1?a=%ff'],
])('%s is asked for as %s, without the token of whoever asks', (url, asked) => {
  expect(forwardedUrl('/v1/sites/:clusterId/nodes/:id', { id: 'web/1' }, url)).toBe(asked);
});
