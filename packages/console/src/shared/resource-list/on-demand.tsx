/** A popover that is made when it is first wanted: one for each row that scrolls by would be felt. */
import { Popover } from '@gatehouse/design/popover';
import { type ReactElement, type ReactNode, useState } from 'react';
import styles from './on-demand.module.css';

interface OnDemandProps {
  label: string;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  className?: string | undefined;
  trigger: ReactElement<{ onClick?: () => void }>;
  children: ReactNode;
}

export function OnDemand({ label, isOpen, onOpenChange, className, trigger, children }: OnDemandProps) {
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen && !wasOpen) setWasOpen(true);
  return (
    // The wrapper keeps the button where it is when the popover takes it over.
    <span className={styles.trigger} {...(wasOpen ? {} : { onClickCapture: () => onOpenChange(true) })}>
      {wasOpen ? (
        <Popover
          label={label}
          open={isOpen}
          onOpenChange={onOpenChange}
          {...(className === undefined ? {} : { className })}
          trigger={trigger}
        >
          {children}
        </Popover>
      ) : (
        trigger
      )}
    </span>
  );
}
