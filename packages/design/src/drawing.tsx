/** What is drawn here by ourselves, on the grid of the icons: hidden from who cannot see it, unless it has a label. */
import type { ReactNode, SVGProps } from 'react';

interface DrawingProps extends Omit<SVGProps<SVGSVGElement>, 'width' | 'height' | 'viewBox' | 'role'> {
  size: number | string;
  label: string | undefined;
  children: ReactNode;
}

export function Drawing({ size, label, children, ...look }: DrawingProps) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      role="img"
      aria-label={label}
      aria-hidden={label === undefined}
      {...look}
    >
      {children}
    </svg>
  );
}
