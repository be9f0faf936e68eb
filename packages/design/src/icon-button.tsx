/** A button with an icon only. It cannot exist without a label, which is also its tooltip. */

import type { ComponentProps, MouseEvent } from 'react';
import { classNames } from './class-names.ts';
import { Icon, type IconComponent, type IconSize } from './icon.tsx';
import styles from './icon-button.module.css';
import { Tooltip } from './tooltip.tsx';

export type IconButtonSize = 'small' | 'medium' | 'large';

const ICON_SIZE: Record<IconButtonSize, IconSize> = { small: 14, medium: 16, large: 20 };

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  icon: IconComponent;
  label: string;
  /** 24, 32 or 48 px. */
  size?: IconButtonSize;
  /** Makes it a toggle. */
  pressed?: boolean;
  /** How many things wait; put the number into the label too. */
  count?: number;
  disabledReason?: string;
  tipSide?: 'top' | 'bottom';
}

export function IconButton({
  icon,
  label,
  size = 'medium',
  pressed,
  count = 0,
  disabled = false,
  disabledReason,
  tipSide,
  className,
  onClick,
  ...rest
}: IconButtonProps) {
  const reason = disabled ? disabledReason : undefined;
  const guardedClick = (event: MouseEvent<HTMLButtonElement>) => {
    if (reason !== undefined) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <Tooltip content={reason ?? label} says={reason === undefined ? 'label' : 'description'} side={tipSide}>
      <button
        type="button"
        {...rest}
        className={classNames(styles.button, size !== 'medium' && styles[size], className)}
        disabled={disabled && reason === undefined}
        aria-disabled={reason === undefined ? undefined : true}
        aria-label={label}
        aria-pressed={pressed}
        onClick={guardedClick}
      >
        <Icon of={icon} size={ICON_SIZE[size]} />
        {count > 0 && (
          <span aria-hidden="true" className={styles.count}>
            {count > 99 ? '99+' : count}
          </span>
        )}
      </button>
    </Tooltip>
  );
}
