/** Databases have no screen yet. */
import { planned } from '../../platform/routing/screen.ts';

export const dbScreen = planned('pages.databases', 'plans.databases');
