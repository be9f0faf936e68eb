/** Every page and the screen it shows. A row without `load` is a page whose screen is not built: it says so, and is not in the navigation. */
import type { PageName } from '@gatehouse/contract/console/pages';
import { KIND_SCREENS } from '../kinds/screens.ts';
import type { Area, WordId } from '../platform/i18n/words.ts';
import type { BuiltScreen } from '../platform/routing/screen.ts';
import { PUBLIC_SCREENS } from './public-screens.ts';

/** A page that only leads on to the first screen the user has. */
export interface RedirectScreen {
  title: WordId;
  redirects: true;
  words: readonly Area[];
}

export type Screen = BuiltScreen | RedirectScreen;

const leading: RedirectScreen = { title: 'pages.home', redirects: true, words: [] };
const account: BuiltScreen = {
  title: 'pages.account',
  load: () => import('../identity/account/account-screen.tsx').then((file) => file.AccountScreen),
  words: ['account', 'credentials', 'webauthn'],
};

const connector: BuiltScreen = {
  title: 'pages.connector',
  load: () => import('../identity/connectors/connector-screen.tsx').then((file) => file.ConnectorScreen),
  words: ['connectors', 'document', 'access'],
};

const terminal: BuiltScreen = {
  title: 'pages.console',
  load: () => import('../sessions/terminal/console-screen.tsx').then((file) => file.ConsoleScreen),
  words: ['terminal', 'resource-list'],
};

export const SCREENS: Record<PageName, Screen> = {
  ...PUBLIC_SCREENS,

  root: leading,
  discover: {
    title: 'pages.discover',
    load: () => import('./discover/discover-screen.tsx').then((file) => file.DiscoverScreen),
    words: ['discover', 'joining', 'access'],
  },
  support: {
    title: 'pages.support',
    load: () => import('./support/support-screen.tsx').then((file) => file.SupportScreen),
    ask: () => import('./support/support-screen.tsx').then((file) => file.prefetchSupport),
    words: ['support'],
  },
  settings: {
    title: 'pages.settings',
    load: () => import('./settings/settings-screen.tsx').then((file) => file.SettingsScreen),
    words: ['settings'],
  },
  account: account,
  accountPassword: account,
  accountTwoFactor: account,
  roles: {
    title: 'pages.roles',
    load: () => import('../identity/roles/roles-screen.tsx').then((file) => file.RolesScreen),
    words: ['roles', 'document', 'effects', 'access', 'locks'],
  },
  newConnector: { ...connector, title: 'pages.new-connector' },
  connector,
  connectors: {
    title: 'pages.connectors',
    load: () => import('../identity/connectors/connectors-screen.tsx').then((file) => file.ConnectorsScreen),
    words: ['connectors', 'access'],
  },
  clusters: {
    title: 'pages.clusters',
    load: () => import('../identity/clusters/clusters-screen.tsx').then((file) => file.ClustersScreen),
    words: ['clusters', 'resource-list', 'access'],
  },
  trustedClusters: {
    title: 'pages.trusted-clusters',
    load: () => import('../identity/clusters/trust-screen.tsx').then((file) => file.TrustScreen),
    words: ['trust', 'clusters', 'resource-list', 'access'],
  },
  users: {
    title: 'pages.users',
    load: () => import('../identity/users/users-screen.tsx').then((file) => file.UsersScreen),
    words: ['users', 'users-bulk', 'roles', 'effects', 'joining', 'access', 'locks'],
  },
  locks: {
    title: 'pages.locks',
    load: () => import('../identity/locks/locks-screen.tsx').then((file) => file.LocksScreen),
    words: ['access', 'locks'],
  },
  headless: {
    title: 'pages.headless',
    load: () => import('../identity/headless/headless-screen.tsx').then((file) => file.HeadlessScreen),
    words: ['headless', 'webauthn'],
  },
  cliLogin: {
    title: 'pages.cli-login',
    load: () => import('../identity/cli-login/cli-login-screen.tsx').then((file) => file.CliLoginScreen),
    words: ['cli-login', 'webauthn'],
  },

  cluster: leading,
  ...KIND_SCREENS,
  sessions: {
    title: 'pages.sessions',
    load: () => import('../sessions/live/sessions-screen.tsx').then((file) => file.SessionsScreen),
    ask: () => import('../sessions/live/use-live-sessions.ts').then((file) => file.prefetchSessions),
    words: ['sessions'],
  },
  recordings: {
    title: 'pages.recordings',
    load: () => import('../evidence/recordings/recordings-screen.tsx').then((file) => file.RecordingsScreen),
    ask: () => import('../evidence/recordings/recording-queries.ts').then((file) => file.prefetchRecordings),
    words: ['recordings', 'time-range'],
  },
  audit: {
    title: 'pages.audit',
    load: () => import('../evidence/audit/audit-screen.tsx').then((file) => file.AuditScreen),
    ask: () => import('../evidence/audit/audit-queries.ts').then((file) => file.prefetchEvents),
    words: ['audit', 'time-range'],
  },
  console: terminal,
  consoleNodes: terminal,
  consoleNode: { ...terminal, title: 'pages.console-node' },
  consoleKube: { ...terminal, title: 'pages.console-kube' },
  consoleSession: terminal,
  watchDb: {
    title: 'pages.watch-db',
    load: () => import('../sessions/watch/watch-screen.tsx').then((file) => file.WatchScreen),
    words: ['sessions', 'statements'],
  },
  player: {
    title: 'pages.player',
    load: () => import('../evidence/recordings/player/player-screen.tsx').then((file) => file.PlayerScreen),
    ask: () => import('../evidence/recordings/player/player-queries.ts').then((file) => file.prefetchPlayer),
    words: ['player', 'recordings', 'statements'],
  },
};

export function isBuilt(page: PageName): boolean {
  return 'load' in SCREENS[page];
}
