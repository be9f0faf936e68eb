/** The handler of every route, by feature. A feature or a route without its handler does not compile. */
import { API, type ApiRoutes, type Feature } from '@gatehouse/contract/api/api';
import type { FastifyInstance } from 'fastify';
import { type BindDeps, bind } from './bind.ts';
import type { Handlers } from './call.ts';
import { bindWrongMethods } from './wrong-methods.ts';

export type FeatureHandlers<F extends Feature> = { [Name in F]: Handlers<(typeof API)[Name]> };

export function bindApi(app: FastifyInstance, handlers: FeatureHandlers<Feature>, deps: BindDeps): void {
  for (const [feature, routes] of Object.entries(API)) {
    bind(app, routes as ApiRoutes, handlers[feature as Feature] as Handlers<ApiRoutes>, deps);
  }
  bindWrongMethods(app);
}
