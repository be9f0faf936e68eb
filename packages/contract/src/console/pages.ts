/** Every browser address under /web: what the router serves, what a redirect may lead to. */

import type { KindPage } from '../kinds/kinds.ts';

interface PageFacts {
  /** `:name` is a parameter, `:name?` an optional one at the end. */
  path: `/web${string}`;
  access: 'public' | 'private';
  /** `prefix`: everything below the path is the same screen. */
  match?: 'prefix';
  /** Draws remote desktops, by a program compiled to wasm: its policy lets it, and so it is only ever loaded as a whole page. */
  wasm?: true;
}

export const PAGES = {
  login: { path: '/web/login', access: 'public' },
  invite: { path: '/web/invite/:tokenId', access: 'public' },
  inviteContinue: { path: '/web/invite/:tokenId/continue', access: 'public' },
  reset: { path: '/web/reset/:tokenId', access: 'public' },
  resetContinue: { path: '/web/reset/:tokenId/continue', access: 'public' },
  loginSuccess: { path: '/web/msg/info/login_success', access: 'public' },
  loginFailedLegacy: { path: '/web/msg/error/login_failed', access: 'public' },
  loginError: { path: '/web/msg/error/login', access: 'public' },
  loginErrorCallback: { path: '/web/msg/error/login/callback', access: 'public' },
  loginErrorAuth: { path: '/web/msg/error/login/auth', access: 'public' },

  root: { path: '/web', access: 'private' },
  discover: { path: '/web/discover', access: 'private' },
  support: { path: '/web/support', access: 'private' },
  settings: { path: '/web/settings', access: 'private' },
  account: { path: '/web/account', access: 'private' },
  accountPassword: { path: '/web/account/password', access: 'private' },
  accountTwoFactor: { path: '/web/account/twofactor', access: 'private' },
  roles: { path: '/web/roles', access: 'private' },
  newConnector: { path: '/web/sso/new/:kind', access: 'private' },
  connector: { path: '/web/sso/:kind/:name', access: 'private' },
  connectors: { path: '/web/sso', access: 'private', match: 'prefix' },
  clusters: { path: '/web/clusters', access: 'private', match: 'prefix' },
  trustedClusters: { path: '/web/trust', access: 'private' },
  users: { path: '/web/users', access: 'private' },
  locks: { path: '/web/locks', access: 'private' },
  headless: { path: '/web/headless/:requestId', access: 'private' },
  cliLogin: { path: '/web/cli/:requestId', access: 'private' },
  launch: { path: '/web/launch/:fqdn/:clusterId?/:publicAddr?/:arn?', access: 'private' },

  cluster: { path: '/web/cluster/:clusterId', access: 'private' },
  apps: { path: '/web/cluster/:clusterId/apps', access: 'private' },
  nodes: { path: '/web/cluster/:clusterId/nodes', access: 'private' },
  sessions: { path: '/web/cluster/:clusterId/sessions', access: 'private' },
  recordings: { path: '/web/cluster/:clusterId/recordings', access: 'private' },
  databases: { path: '/web/cluster/:clusterId/databases', access: 'private' },
  workbench: { path: '/web/cluster/:clusterId/databases/:name/workbench', access: 'private' },
  watchDb: { path: '/web/cluster/:clusterId/databases/:name/session/:sid', access: 'private' },
  kubernetes: { path: '/web/cluster/:clusterId/kubernetes', access: 'private' },
  kube: {
    path: '/web/cluster/:clusterId/kubernetes/:name/:resource?/:namespace?/:object?',
    access: 'private',
  },
  audit: { path: '/web/cluster/:clusterId/audit', access: 'private' },
  desktops: { path: '/web/cluster/:clusterId/desktops', access: 'private' },
  desktop: { path: '/web/cluster/:clusterId/desktops/:desktopName/:username', access: 'private', wasm: true },
  console: { path: '/web/cluster/:clusterId/console', access: 'private' },
  consoleNodes: { path: '/web/cluster/:clusterId/console/nodes', access: 'private' },
  consoleNode: { path: '/web/cluster/:clusterId/console/node/:serverId/:login', access: 'private' },
  consoleKube: { path: '/web/cluster/:clusterId/console/kube/:name/:namespace/:pod', access: 'private' },
  consoleSession: { path: '/web/cluster/:clusterId/console/session/:sid', access: 'private' },
  files: { path: '/web/cluster/:clusterId/files/:serverId/:login', access: 'private' },
  player: { path: '/web/cluster/:clusterId/session/:sid', access: 'private', wasm: true },
} as const satisfies Record<string, PageFacts> & Record<KindPage, PageFacts>;

export type PageName = keyof typeof PAGES;
export type PublicPageName = {
  [Name in PageName]: (typeof PAGES)[Name]['access'] extends 'public' ? Name : never;
}[PageName];
export const pageNames: readonly PageName[] = Object.keys(PAGES) as PageName[];

export interface PageMatch {
  name: PageName;
  params: Record<string, string>;
}

/** The page a path leads to, or nothing. A trailing slash is forgiven; dot segments and encoded slashes are not. */
export function matchPage(path: string): PageMatch | undefined {
  const given = segments(path);
  if (!given) return undefined;
  for (const name of pageNames) {
    const params = matchSegments(PAGES[name], given);
    if (params) return { name, params };
  }
  return undefined;
}

/**
 * The redirect rule: a target is accepted only when it matches a known route, otherwise the root is used. Whatever
 * origin was written in front of it is dropped, so the result is always a path on our own origin.
 */
export function redirectTarget(given: string | null | undefined): string {
  // Backslashes, control characters and tabs are read differently by browsers and by us: nothing that holds one is followed.
  if (!given || given.length > 4096 || hasTrickCharacters(given)) return PAGES.root.path;
  const absolute = /^https?:\/\/[^/?#]*/i.exec(given);
  const local = absolute ? given.slice(absolute[0].length) : given;
  if (!local.startsWith('/') || local.startsWith('//')) return PAGES.root.path;
  const [withoutHash = ''] = local.split('#', 1);
  const [path = ''] = withoutHash.split('?', 1);
  const page = matchPage(path);
  // Being sent to the login page after signing in would be a loop; so would the pages that end a sign-in.
  if (!page || PAGES[page.name].access === 'public') return PAGES.root.path;
  return withoutHash;
}

function hasTrickCharacters(text: string): boolean {
  return text.includes('\\') || [...text].some((character) => character <= '\u0020' || character === '\u007f');
}

function segments(path: string): string[] | undefined {
  if (!path.startsWith('/')) return undefined;
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  const decoded: string[] = [];
  for (const part of parts) {
    const text = decode(part);
    if (!text || text === '.' || text === '..') return undefined;
    decoded.push(text);
  }
  return decoded;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function matchSegments(page: PageFacts, given: string[]): Record<string, string> | undefined {
  const wanted = page.path.split('/').slice(1);
  const params: Record<string, string> = {};
  for (const [index, want] of wanted.entries()) {
    const have = given[index];
    if (have === undefined) {
      if (want.endsWith('?')) continue;
      return undefined;
    }
    if (want.startsWith(':')) params[want.replace(/^:|\?$/g, '')] = have;
    else if (want !== have) return undefined;
  }
  return given.length <= wanted.length || page.match === 'prefix' ? params : undefined;
}

/** Whether what is loaded from this path may compile wasm. */
export function allowsWasm(path: string): boolean {
  const page = matchPage(path);
  return page !== undefined && 'wasm' in PAGES[page.name];
}

/** The address of a page with its parameters encoded; optional ones may be left out from the end. */
export function pagePath(name: PageName, params: Record<string, string> = {}): string {
  const parts = PAGES[name].path.split('/').slice(1);
  const filled: string[] = [];
  for (const part of parts) {
    if (!part.startsWith(':')) {
      filled.push(part);
      continue;
    }
    const value = params[part.replace(/^:|\?$/g, '')];
    if (value) filled.push(encodeURIComponent(value));
    else if (part.endsWith('?')) break;
    else throw new Error(`page '${name}' needs '${part}'`);
  }
  return `/${filled.join('/')}`;
}
