/** The screens of databases. Only what the first paint needs: their code is fetched. */
import type { BuiltScreen } from '../../platform/routing/screen.ts';

export const dbScreen: BuiltScreen = {
  title: 'pages.databases',
  load: () => import('./databases-screen.tsx').then((file) => file.DatabasesScreen),
  ask: () => import('./db-queries.ts').then((file) => file.prefetchDatabases),
  words: ['databases', 'resource-list'],
};

export const workbenchScreen: BuiltScreen = {
  title: 'pages.workbench',
  load: () => import('./workbench-screen.tsx').then((file) => file.WorkbenchScreen),
  words: ['workbench', 'db-approvals', 'line', 'redis', 'mongo', 'db-connect', 'databases', 'resource-list'],
};
