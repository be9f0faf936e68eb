/** The screens of servers. Only what the first paint needs: their code is fetched. */
import type { BuiltScreen } from '../../platform/routing/screen.ts';

export const nodeScreen: BuiltScreen = {
  title: 'pages.nodes',
  load: () => import('./servers-screen.tsx').then((file) => file.ServersScreen),
  ask: () => import('./server-queries.ts').then((file) => file.prefetchServers),
  words: ['servers', 'resource-list'],
};

export const filesScreen: BuiltScreen = {
  title: 'pages.files',
  load: () => import('./files/files-screen.tsx').then((file) => file.FilesScreen),
  words: ['files'],
};
