/** The screens of applications. Only what the first paint needs: their code is fetched. */
import type { BuiltScreen } from '../../platform/routing/screen.ts';

export const appScreen: BuiltScreen = {
  title: 'pages.apps',
  load: () => import('./apps-screen.tsx').then((file) => file.AppsScreen),
  ask: () => import('./app-queries.ts').then((file) => file.prefetchApps),
  words: ['apps', 'resource-list'],
};

export const launchScreen: BuiltScreen = {
  title: 'pages.launch',
  load: () => import('./launch/launch-screen.tsx').then((file) => file.LaunchScreen),
  words: ['launch'],
};
