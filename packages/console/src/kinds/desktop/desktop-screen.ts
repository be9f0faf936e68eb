/** Windows desktops have no screens yet. */
import { planned } from '../../platform/routing/screen.ts';

export const desktopScreen = planned('pages.desktops', 'plans.desktops');
export const desktopSessionScreen = planned('pages.desktop', 'plans.desktop');
