/** The screens of desktops. Only what the first paint needs: their code is fetched. */
import type { BuiltScreen } from '../../platform/routing/screen.ts';

export const desktopScreen: BuiltScreen = {
  title: 'pages.desktops',
  load: () => import('./desktops-screen.tsx').then((file) => file.DesktopsScreen),
  ask: () => import('./desktop-queries.ts').then((file) => file.prefetchDesktops),
  words: ['desktops', 'resource-list'],
};

export const desktopSessionScreen: BuiltScreen = {
  title: 'pages.desktop',
  load: () => import('./session-screen.tsx').then((file) => file.SessionScreen),
  words: ['desktop', 'resource-list'],
};
