/** A menu under its button: arrow keys move, Enter takes, Escape closes and gives the focus back. */

import Check from 'lucide-react/icons/check';
import * as DropdownMenu from 'radix-ui/dropdown-menu';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Icon, type IconComponent } from './icon.tsx';
import { KeyCaps } from './key-cap.tsx';
import styles from './menu.module.css';
import { POPOVER_MARGIN_PX } from './popover-margin.ts';

export interface MenuProps {
  /** The button, as an element that takes a ref: Button, IconButton or a plain button. */
  trigger: ReactElement;
  /** Which edges line up with the button. */
  align?: 'start' | 'end';
  side?: 'bottom' | 'top' | 'right';
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  className?: string;
  children: ReactNode;
}

/** Not modal: a click elsewhere both closes it and does what was clicked, and no style element is written. */
export function Menu({ trigger, align = 'end', side = 'bottom', open, onOpenChange, className, children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={classNames(styles.menu, className)}
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={POPOVER_MARGIN_PX}
          loop
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export interface MenuItemProps {
  icon?: IconComponent;
  /** Keys that do the same. */
  keys?: readonly string[];
  /** A faint word at the end, such as when it was last used or why it is not allowed. */
  hint?: ReactNode;
  tone?: 'normal' | 'danger';
  disabled?: boolean;
  /** Makes it a link; `onSelect` may still take the click over. */
  href?: string;
  onSelect?: (event: Event) => void;
  children: ReactNode;
}

export function MenuItem({ icon, keys, hint, tone = 'normal', disabled, href, onSelect, children }: MenuItemProps) {
  const body = (
    <>
      {icon && <Icon of={icon} className={styles.icon} />}
      {children}
      <MenuHint keys={keys}>{hint}</MenuHint>
    </>
  );
  const className = classNames(styles.item, tone === 'danger' && styles.danger);
  return (
    <DropdownMenu.Item asChild={href !== undefined} className={className} disabled={disabled} onSelect={onSelect}>
      {href === undefined ? body : <a href={href}>{body}</a>}
    </DropdownMenu.Item>
  );
}

function MenuHint({ keys, children }: { keys?: readonly string[]; children?: ReactNode }) {
  if (!keys && !children) return null;
  return (
    <span className={styles.hint}>
      {children}
      {keys && <KeyCaps keys={keys} />}
    </span>
  );
}

export interface MenuChoiceProps<V extends string> {
  label?: ReactNode;
  value: V;
  onValueChange: (value: V) => void;
  options: readonly { value: V; label: ReactNode; hint?: ReactNode; icon?: IconComponent; disabled?: boolean }[];
}

/** One of several, ticked. */
export function MenuChoice<V extends string>({ label, value, onValueChange, options }: MenuChoiceProps<V>) {
  const choose = (chosen: string) => {
    const option = options.find((each) => each.value === chosen);
    if (option) onValueChange(option.value);
  };
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={choose}>
      {label && <MenuHeading>{label}</MenuHeading>}
      {options.map((option) => (
        <DropdownMenu.RadioItem
          key={option.value}
          value={option.value}
          disabled={option.disabled}
          className={styles.item}
        >
          {option.icon && <Icon of={option.icon} className={styles.icon} />}
          {option.label}
          <MenuHint>{option.hint}</MenuHint>
          <span className={styles.tick}>
            <DropdownMenu.ItemIndicator>
              <Icon of={Check} size={14} />
            </DropdownMenu.ItemIndicator>
          </span>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function MenuHeading({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className={styles.heading}>{children}</DropdownMenu.Label>;
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className={styles.separator} />;
}
