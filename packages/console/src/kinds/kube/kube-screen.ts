/** Kubernetes clusters have no screen yet. */
import { planned } from '../../platform/routing/screen.ts';

export const kubeScreen = planned('pages.kubernetes', 'plans.kubernetes');
