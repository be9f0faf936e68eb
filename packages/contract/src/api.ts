/** Every route of the API, by feature. The OpenAPI document, the handler table and the hostile-input test are made from it. */
import { signInRoutes } from './auth/sign-in.ts';
import type { Route } from './route.ts';
import { captureRoutes } from './shell/capture.ts';
import { clusterRoutes } from './shell/clusters.ts';
import { openApiRoutes } from './shell/open-api-route.ts';
import { pingRoutes } from './shell/ping.ts';

export const API = {
  ping: pingRoutes,
  signIn: signInRoutes,
  clusters: clusterRoutes,
  capture: captureRoutes,
  openApi: openApiRoutes,
} as const;

export type Feature = keyof typeof API;

export interface NamedRoute {
  feature: string;
  name: string;
  route: Route;
}

export function allRoutes(): NamedRoute[] {
  return Object.entries(API).flatMap(([feature, routes]) =>
    Object.entries(routes).map(([name, route]) => ({ feature, name, route: route as Route })),
  );
}
