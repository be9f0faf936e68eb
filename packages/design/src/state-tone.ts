/** The four states, and the icon that says each without colour. */

import CircleCheck from 'lucide-react/icons/circle-check';
import CircleX from 'lucide-react/icons/circle-x';
import Info from 'lucide-react/icons/info';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { IconComponent } from './icon.tsx';

export type StateTone = 'info' | 'ok' | 'warn' | 'bad';

export const STATE_ICON: Record<StateTone, IconComponent> = {
  info: Info,
  ok: CircleCheck,
  warn: TriangleAlert,
  bad: CircleX,
};
