/** Which files the console is cut into: few for the pages people open first, and nothing private in a public page. */
import { join } from 'node:path';
import type { Rolldown } from 'vite';

const SRC = join(import.meta.dirname, '../src');

const WORDS = join(SRC, 'platform/i18n/words.ts');

/** What nearly every page shows, public ones included. */
const BASE =
  /i18n\/en\/common\.json$|console\/src\/platform\/(failures\/failure-words|webauthn\/webauthn-error)\.ts$|design\/src\/(button|button-link|card|class-names|field|icon|icon-button|key-cap|mark|notice|spinner|state-tone|status-card|text-field|text-link|theme|tooltip|use-delay|use-key|visually-hidden|words)\b[^/]*$|lucide-react\/dist\/esm\/(?!icons)/;

const LOGIN = ['identity/login/login-screen.tsx', 'platform/i18n/en/login.json', 'platform/i18n/en/webauthn.json'];
const PUBLIC = [...LOGIN, 'identity/login/login-results.tsx', 'identity/invite/invite-screen.tsx'];
/** Where each private screen is fetched from; asked before the shell has arrived. */
const SCREENS = ['app/load-screen.ts'];
const SHELL = ['app/private-start.tsx', 'platform/i18n/en/shell.json', 'platform/i18n/en/pages.json'];
/** Small, and on most private screens: a request for each would take longer than they do. */
const SHELL_DESIGN = /design\/src\/(copy-field|details-list|page-header|skeleton|use-copy)\b[^/]*$/;

/** What lists are made of; most private screens are lists. */
const LISTS =
  /design\/src\/(key-hints|label-chips?|split-button|table(-foot|-head|-skeleton)?|visually-hidden|use-(grid-keys|held-place|row-keys|row-window|scrolled-box)|virtual-table)\b[^/]*$|console\/src\/shared\/resource-list\/(?!no-resources)|i18n\/en\/resource-list\.json$|contract\/src\/(wire\/filter|wire\/filter-tokens|std\/labels)\.ts$/;
/** What stands there instead, in small pieces: a new gateway shows it on its first screen. */
const EMPTY_LISTS =
  /design\/src\/empty-state\b[^/]*$|console\/src\/shared\/resource-list\/no-resources\b[^/]*$|icons\/search-x\b[^/]*$/;
/** The screen that people open first. */
const SERVERS = [
  'kinds/node/servers-screen.tsx',
  'kinds/node/server-queries.ts',
  'platform/i18n/en/servers.json',
  'platform/i18n/en/resource-list.json',
];
/** What the navigation counts is asked for when the first screen stands. */
const COUNTS = ['app/app', 'db/db', 'desktop/desktop', 'kube/kube'].map((kind) => `kinds/${kind}-queries.ts`);

/**
 * `base` is in every page, `screens` in every private one: it says which files a screen is in. `calls` is what the shell, the first screen and the counts share with what public pages fetch later: zod, and the calls
 * themselves. `shell` is all the rest that a private page needs before its screen. `lists` is what the first list, that of `servers`,
 * has in common with others; `more-lists` is what only the others have, so that nobody fetches it for the first. `counts` is what
 * counts the other kinds in the navigation. `empty-lists` is what is shown where there is nothing to list. Each needs only
 * those before it, so none can be met half-run.
 */
export function chunkGroups(): Rolldown.CodeSplittingGroup[] {
  const screens = reach(SCREENS);
  const shell = reach(SHELL);
  const entry = reach(['main.tsx']);
  const login = reach(LOGIN);
  const publicPages = reach(PUBLIC, true);
  const servers = reach(SERVERS);
  const counts = reach(COUNTS);
  const isBase: Test = (id, graph) =>
    BASE.test(id) || (shell(graph).has(id) && (entry(graph).has(id) || login(graph).has(id)));
  const isScreens: Test = (id, graph) => screens(graph).has(id);
  const isLogin: Test = (id, graph) => login(graph).has(id) && !entry(graph).has(id);
  const isShell: Test = (id, graph) => SHELL_DESIGN.test(id) || shell(graph).has(id);
  const isServers: Test = (id, graph) => servers(graph).has(id);
  const isCounts: Test = (id, graph) => counts(graph).has(id);
  const isCalls: Test = (id, graph) =>
    (isShell(id, graph) || isServers(id, graph) || isCounts(id, graph)) && publicPages(graph).has(id);
  return [
    group('base', 9, isBase),
    group('login', 8, isLogin),
    group('screens', 7, isScreens),
    group('calls', 6, isCalls),
    group('shell', 5, isShell),
    group('lists', 4, (id, graph) => LISTS.test(id) && isServers(id, graph)),
    group('servers', 3, isServers),
    group('counts', 2, isCounts),
    group('more-lists', 1, (id) => LISTS.test(id)),
    group('empty-lists', 0, (id) => EMPTY_LISTS.test(id)),
  ];
}

type Graph = Rolldown.ChunkingContext;
type Test = (id: string, graph: Graph) => boolean;

function group(name: string, priority: number, test: Test): Rolldown.CodeSplittingGroup {
  return { name: (id, graph) => (test(id, graph) ? name : null), debugName: name, priority };
}

/** Every module that these import, and what they fetch later where that is wanted; found when first asked for. */
function reach(files: readonly string[], later = false) {
  let found: Set<string> | undefined;
  return (graph: Graph): Set<string> => {
    if (found) return found;
    found = new Set();
    const open = files.map((file) => join(SRC, file));
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const module = graph.getModuleInfo(id);
      if (found.has(id) || !module) continue;
      found.add(id);
      open.push(...module.importedIds);
      // Whoever shows words could fetch those of every area.
      if (later && id !== WORDS) open.push(...module.dynamicallyImportedIds);
    }
    return found;
  };
}
