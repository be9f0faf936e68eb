/** The screens of desktops. Only what the first paint needs: their code is fetched. */
import { type BuiltScreen, planned } from '../../platform/routing/screen.ts';

export const desktopScreen = planned('pages.desktops', 'plans.desktops');

export const desktopSessionScreen: BuiltScreen = {
  title: 'pages.desktop',
  load: () => import('./session-screen.tsx').then((file) => file.SessionScreen),
  words: ['desktop', 'resource-list'],
};
