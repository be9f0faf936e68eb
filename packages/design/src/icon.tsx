/** One way to show an icon: imported singly from lucide, sized by the grid, silent unless it stands alone. */

import type { ComponentType } from 'react';

/** What every icon of `lucide-react/icons/*` is, and what a drawn one must take. */
export type IconComponent = ComponentType<{
  size?: string | number;
  className?: string;
  'aria-hidden'?: boolean | 'true' | 'false';
  'aria-label'?: string;
  role?: string;
}>;

export type IconSize = 12 | 14 | 16 | 20 | 24;

interface IconProps {
  of: IconComponent;
  size?: IconSize;
  /** Only where no word stands beside it. */
  label?: string;
  className?: string;
}

export function Icon({ of: Drawn, size = 16, label, className }: IconProps) {
  if (label === undefined) return <Drawn size={size} className={className} aria-hidden={true} />;
  return <Drawn size={size} className={className} role="img" aria-label={label} />;
}
