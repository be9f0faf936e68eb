/** The public pages and their screens. Apart from the private ones: where each of those is fetched from is a list as long as a form. */
import type { PublicPageName } from '@gatehouse/contract/console/pages';
import type { BuiltScreen } from '../platform/routing/screen.ts';

const failed = (
  screen: 'LoginFailedScreen' | 'LoginCallbackFailedScreen' | 'LoginUnauthorizedScreen',
): BuiltScreen => ({
  title: 'login.failure-title',
  load: () => import('../identity/login/login-results.tsx').then((file) => file[screen]),
  words: ['login'],
});

const link: BuiltScreen = {
  title: 'login.invite-title',
  load: () => import('../identity/invite/invite-screen.tsx').then((file) => file.InviteScreen),
  words: ['login', 'invite', 'credentials', 'webauthn'],
};
export const PUBLIC_SCREENS: Readonly<Record<PublicPageName, BuiltScreen>> = {
  login: {
    title: 'login.title',
    load: () => import('../identity/login/login-screen.tsx').then((file) => file.LoginScreen),
    words: ['login', 'webauthn'],
  },
  invite: { ...link, title: 'login.invite-title' },
  inviteContinue: { ...link, title: 'login.invite-title' },
  reset: { ...link, title: 'login.reset-title' },
  resetContinue: { ...link, title: 'login.reset-title' },
  loginSuccess: {
    title: 'login.success-title',
    load: () => import('../identity/login/login-results.tsx').then((file) => file.LoginSuccessScreen),
    words: ['login'],
  },
  loginFailedLegacy: failed('LoginFailedScreen'),
  loginError: failed('LoginFailedScreen'),
  loginErrorCallback: failed('LoginCallbackFailedScreen'),
  loginErrorAuth: failed('LoginUnauthorizedScreen'),
};
