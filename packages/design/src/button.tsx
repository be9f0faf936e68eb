/** The button: five tones, three heights. It says why it is disabled and keeps its width while it works. */

import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import styles from './button.module.css';
import { classNames } from './class-names.ts';
import { Icon, type IconComponent } from './icon.tsx';
import { SpinnerRing } from './spinner.tsx';
import { Tooltip } from './tooltip.tsx';

export type ButtonTone = 'secondary' | 'primary' | 'ghost' | 'danger' | 'danger-solid';
export type ButtonSize = 'small' | 'medium' | 'large';

export interface ButtonLook {
  /** One primary on a screen; solid danger only inside the confirming dialog. */
  tone?: ButtonTone;
  /** 24, 32 or 40 px. */
  size?: ButtonSize;
  /** As wide as its place. */
  wide?: boolean;
}

/** The classes of a button, for links that must look like one. */
export function buttonClass({ tone = 'secondary', size = 'medium', wide = false }: ButtonLook): string {
  return classNames(
    styles.button,
    tone !== 'secondary' && styles[tone],
    size !== 'medium' && styles[size],
    wide && styles.wide,
  );
}

export interface ButtonProps extends ButtonLook, ComponentProps<'button'> {
  icon?: IconComponent;
  /** Give it (also as false) on any button that can work, so that the width is kept from the start. */
  loading?: boolean;
  /** What the word becomes while loading, such as "Saving". */
  loadingWord?: ReactNode;
  /** Shown on hover and focus while disabled; the button then stays reachable by keyboard. */
  disabledReason?: string;
  children: ReactNode;
}

export function Button({
  tone,
  size,
  wide,
  icon,
  loading,
  loadingWord,
  disabled = false,
  disabledReason,
  className,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const reason = disabled ? disabledReason : undefined;
  const off = reason !== undefined || loading === true;
  const guardedClick = (event: MouseEvent<HTMLButtonElement>) => {
    // Also keeps Enter in a field from sending the form a second time.
    if (off) event.preventDefault();
    else onClick?.(event);
  };
  const button = (
    <button
      type="button"
      {...rest}
      className={classNames(buttonClass({ tone, size, wide }), className)}
      disabled={disabled && reason === undefined}
      aria-disabled={reason === undefined ? undefined : true}
      aria-busy={loading || undefined}
      onClick={guardedClick}
    >
      <ButtonContent size={size} icon={icon} loading={loading} loadingWord={loadingWord}>
        {children}
      </ButtonContent>
    </button>
  );
  return disabledReason === undefined ? button : <Tooltip content={reason}>{button}</Tooltip>;
}

type ContentProps = Pick<ButtonProps, 'size' | 'icon' | 'loading' | 'loadingWord' | 'children'>;

function ButtonContent({ size, icon, loading, loadingWord, children }: ContentProps) {
  const spinner = (
    <span className={styles.spinner}>
      <SpinnerRing size="small" />
    </span>
  );
  const shownIcon = icon && <Icon of={icon} size={size === 'small' ? 14 : 16} className={styles.icon} />;
  if (loading === undefined || (icon && loadingWord === undefined)) {
    return (
      <span className={styles.content}>
        {loading ? spinner : shownIcon}
        {children}
      </span>
    );
  }
  // Both lie on each other, so that the width never changes. Without another word the first one still names the button.
  const renamed = loadingWord !== undefined;
  return (
    <span className={styles.stack}>
      <span
        className={classNames(styles.content, loading && (renamed ? styles.away : styles.faded))}
        aria-hidden={loading && renamed ? true : undefined}
      >
        {shownIcon}
        {children}
      </span>
      <span className={classNames(styles.content, !loading && styles.away)} aria-hidden={loading ? undefined : true}>
        {spinner}
        {loadingWord}
      </span>
    </span>
  );
}
