/** Something small that opens under its button and may hold fields; 16 px from the window's edge at least. */

import * as RadixPopover from 'radix-ui/popover';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './popover.module.css';
import { POPOVER_MARGIN_PX } from './popover-margin.ts';

export interface PopoverProps {
  trigger: ReactElement;
  /** Its accessible name. */
  label: string;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'bottom' | 'left' | 'right';
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  className?: string;
  children: ReactNode;
}

export function Popover({
  trigger,
  label,
  align = 'end',
  side = 'bottom',
  open,
  onOpenChange,
  className,
  children,
}: PopoverProps) {
  return (
    <RadixPopover.Root open={open} onOpenChange={onOpenChange}>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          aria-label={label}
          className={classNames(styles.popover, className)}
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={POPOVER_MARGIN_PX}
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  );
}

/** Closes the popover around it when the child is pressed. */
export function PopoverClose({ children }: { children: ReactElement }) {
  return <RadixPopover.Close asChild>{children}</RadixPopover.Close>;
}
