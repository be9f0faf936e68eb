/** The router of the private pages: one route for each, inside the guard and the shell. Public pages need none. */
import { PAGES, type PageName, pageNames } from '@gatehouse/contract/console/pages';
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { loadScreen } from './load-screen.ts';
import type { Prefetch } from './prefetch.ts';
import { PrivateApp, PrivateError, PrivateNotFound } from './private-app.tsx';
import { Waiting } from './status/waiting.tsx';

/** From then on a screen that is not there yet says so. */
export const PENDING_MS = 400;

export function createPrivateRouter(ahead: Prefetch) {
  const root = createRootRoute({ component: Outlet, notFoundComponent: PrivateNotFound });
  const guarded = createRoute({ getParentRoute: () => root, id: 'private', component: PrivateApp });
  const names = pageNames.filter((name) => PAGES[name].access === 'private');

  return createRouter({
    routeTree: root.addChildren([guarded.addChildren(names.map((name) => pageRoute(name, guarded, ahead)))]),
    parseSearch,
    stringifySearch,
    notFoundMode: 'root',
    defaultPreload: 'intent',
    defaultPendingMs: PENDING_MS,
    defaultPendingMinMs: 0,
    defaultPendingComponent: Waiting,
    defaultErrorComponent: PrivateError,
  });
}

function pageRoute(name: PageName, parent: AnyRoute, ahead: Prefetch): AnyRoute {
  const component = lazyRouteComponent(() => loadRouted(name), 'Routed');
  const loader = ({ params }: { params: { clusterId?: string } }) => ahead(name, params.clusterId);
  return createRoute({
    ...{ getParentRoute: () => parent, path: routePath(name), component, loader },
    staticData: { page: name },
  });
}

/** A prefix page answers to everything below it and to itself. */
export function routePath(name: PageName): string {
  const { path, match } = { match: undefined, ...PAGES[name] };
  return match === 'prefix' ? `${routerPath(path)}/$` : routerPath(path);
}

/** `:name` of the contract is `$name` of the router, `:name?` is `{-$name}`. */
function routerPath(path: string): string {
  return path.replaceAll(/:(\w+)\?/g, '{-$$$1}').replaceAll(/:(\w+)/g, '$$$1');
}

async function loadRouted(name: PageName) {
  const Content = await loadScreen(name);
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each page, when its file has arrived
  const Routed = () => <Content page={name} />;
  return { Routed };
}

/** What follows the question mark, as plain texts: what is written in the address is what a screen reads. */
function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

function stringifySearch(texts: Record<string, unknown>): string {
  const pairs = Object.entries(texts).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(pairs as [string, string][]).toString();
  return text ? `?${text}` : '';
}
